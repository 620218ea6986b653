// What starts plans by itself: schedules and triggers over all plans, and what could not be started.
import { del, every, path, post } from '../api.js';
import { useAction, useApi } from '../asking.js';
import { html, useEffect, useState } from '../lib.js';
import { Next, clockColumns } from '../parts/clocks.js';
import { Confirm } from '../parts/confirm.js';
import { ErrorBox } from '../parts/error.js';
import { Empty, Page } from '../parts/page.js';
import { Table } from '../parts/table.js';
import { Tabs } from '../parts/tabs.js';
import { Time } from '../parts/time.js';
import { Rule, triggerColumns } from '../parts/triggers.js';
import { href, setQuery } from '../router.js';
import { say } from '../shell.js';
import { n, t } from '../text.js';

const SIDE_BY_SIDE = 6; // requests at a time

export default function Schedules({ query }) {
  const tabs = [
    { id: 'schedules', text: t('clocks.title'), show: () => html`<${All} kind="schedules" />` },
    { id: 'triggers', text: t('triggers.title'), show: () => html`<${All} kind="triggers" />` },
    { id: 'letters', text: t('letters.title'), show: () => html`<${Letters} />` },
  ];
  return html`
    <${Page} title=${t('nav.schedules')}>
      <${Tabs} label=${t('schedules.views')} tabs=${tabs} chosen=${query.tab || 'schedules'} onPick=${(tab) => setQuery({ tab: tab === 'schedules' ? null : tab })} />
    <//>
  `;
}

/** Of every plan, as they come: the API lists them by plan. */
function All({ kind }) {
  const [state, setState] = useState({ items: [], left: null, error: null });
  const [count, setCount] = useState(0);
  const [shown, setShown] = useState(null);
  useEffect(() => {
    const leaving = new AbortController();
    gather(kind, leaving.signal, setState).catch((error) => leaving.signal.aborted || setState((last) => ({ ...last, error })));
    return () => leaving.abort();
  }, [kind, count]);
  const { items, left, error } = state;
  if (error) return html`<${ErrorBox} error=${error} retry=${() => setCount(count + 1)} />`;
  const changed = () => setCount(count + 1);
  const columns = (kind === 'schedules' ? clockColumns : triggerColumns)({ withPlan: true, onChange: changed, shown, onShow: setShown });
  if (!items.length && left !== 0) return html`<p class="loading" role="status">${left ? n('schedules.left', left) : t('shell.loading')}</p>`;
  return html`
    <${Table}
      label=${t(kind === 'schedules' ? 'clocks.title' : 'triggers.title')}
      rows=${items}
      rowKey=${(each) => `${each.plan}/${each.id}`}
      columns=${columns}
      empty=${html`<${Empty} title=${t(kind === 'schedules' ? 'clocks.none' : 'triggers.none')}>${t(kind === 'schedules' ? 'clocks.how' : 'triggers.how')}<//>`}
    />
    ${left > 0 && html`<p class="soft" role="status">${n('schedules.left', left)}</p>`}
    ${shown && (kind === 'schedules' ? html`<${Next} schedule=${shown} />` : html`<${Rule} trigger=${shown} />`)}
  `;
}

async function gather(kind, signal, tell) {
  const plans = await every('/plans', { signal });
  const waiting = plans.map((plan) => plan.name);
  const found = [];
  let left = waiting.length;
  tell({ items: [], left, error: null });
  const work = async () => {
    while (waiting.length) {
      const name = waiting.shift();
      found.push(...(await every(`${path`/plans/${name}`}/${kind}`, { signal })));
      left -= 1;
      const items = [...found].sort((a, b) => order(a).localeCompare(order(b)));
      if (!signal.aborted) tell({ items, left, error: null });
    }
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, work));
}

/** The next to fire first, then by plan and id. */
const order = (each) => `${each.nextAt || '9999'} ${each.plan}/${each.id}`;

function Letters() {
  const letters = useApi('/dead-letters');
  const [asked, setAsked] = useState(null);
  const { busy, error, act, clear } = useAction();
  const redo = (letter) =>
    act(async (signal) => {
      const done = await post(path`/dead-letters/${letter.id}/redrive`, { signal });
      say(t(done.runId ? 'letters.started' : 'letters.skipped'));
      letters.reload();
    });
  const drop = () =>
    act(async (signal) => {
      await del(path`/dead-letters/${asked.id}`, { signal });
      setAsked(null);
      letters.reload();
    });
  if (letters.error) return html`<${ErrorBox} error=${letters.error} retry=${letters.reload} />`;
  if (!letters.data) return html`<p class="loading" role="status">${t('shell.loading')}</p>`;
  return html`
    <p class="soft">${t('letters.about')}</p>
    ${error && !asked && html`<${ErrorBox} error=${error} />`}
    <${Table}
      label=${t('letters.title')}
      rows=${letters.data.items}
      rowKey=${(each) => each.id}
      empty=${html`<${Empty} title=${t('letters.none')} />`}
      columns=${[
        { id: 'at', head: t('letters.at'), cell: (each) => html`<span class="nowrap"><${Time} at=${each.sentAt} /></span>` },
        { id: 'plan', head: t('clocks.plan'), cell: (each) => html`${each.plan ? html`<a href=${href('/plans/:name', { name: each.plan })}>${each.plan}</a>` : '–'}<span class="sub">${each.trigger || each.schedule || each.kind}</span>` },
        { id: 'why', head: t('letters.why'), wide: true, cell: (each) => html`<code>${each.code || '–'}</code><span class="sub">${each.detail}</span>${each.errors.map((fault, index) => html`<span class="sub" key=${index}><code>${fault.path}</code> ${fault.message}</span>`)}` },
        {
          id: 'acts',
          head: html`<span class="hidden">${t('clocks.acts')}</span>`,
          cell: (each) => html`<span class="row"><button type="button" disabled=${busy} onClick=${() => redo(each)}>${t('letters.redo')}</button><button type="button" class="danger" disabled=${busy} onClick=${() => (clear(), setAsked(each))}>${t('letters.drop')}</button></span>`,
        },
      ]}
    />
    ${asked && html`<${Confirm} title=${t('letters.drop.title')} yes=${t('letters.drop')} danger busy=${busy} error=${error} onYes=${drop} onNo=${() => setAsked(null)}><p>${t('letters.drop.sure')}</p><//>`}
  `;
}

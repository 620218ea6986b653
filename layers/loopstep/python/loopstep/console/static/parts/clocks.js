// The schedules of one plan or of several: when each fires, its next firings, and the switch.
import { path, post } from '../api.js';
import { useAction, useApi, usePages } from '../asking.js';
import { html, useState } from '../lib.js';
import { href } from '../router.js';
import { say } from '../shell.js';
import { t } from '../text.js';
import { ErrorBox } from './error.js';
import { Json } from './json.js';
import { Empty } from './page.js';
import { Status } from './status.js';
import { PagedTable, Table } from './table.js';
import { Time } from './time.js';

/** Those of one plan. */
export function Clocks({ plan }) {
  const pages = usePages(path`/plans/${plan}/schedules`);
  const [shown, setShown] = useState(null);
  return html`
    <${PagedTable}
      label=${t('clocks.title')}
      pages=${pages}
      rowKey=${(each) => each.id}
      columns=${clockColumns({ onChange: pages.reload, shown, onShow: setShown })}
      empty=${html`<${Empty} title=${t('clocks.none')}><code>loopstep schedules put ${plan} nightly "cron(0 2 * * ? *)"</code><//>`}
    />
    ${shown && html`<${Next} schedule=${shown} />`}
  `;
}

/** The columns of a table of schedules; `withPlan` where they are of several plans. */
export function clockColumns({ withPlan = false, onChange, shown, onShow }) {
  return [
    ...(withPlan ? [{ id: 'plan', head: t('clocks.plan'), cell: (each) => html`<a href=${href('/plans/:name', { name: each.plan }, { tab: 'starts' })}>${each.plan}</a>` }] : []),
    { id: 'id', head: t('clocks.id'), cell: (each) => html`<code>${each.id}</code>` },
    { id: 'when', head: t('clocks.when'), wide: true, cell: (each) => html`<code>${each.expression}</code><span class="sub">${each.timeZone}${each.version ? ` · ${t('plan.version', { version: each.version })}` : ''}</span>` },
    { id: 'next', head: t('clocks.next'), cell: (each) => html`<span class="nowrap"><${Time} at=${each.nextAt} /></span>` },
    { id: 'status', head: t('clocks.status'), cell: (each) => html`<${Status} status=${!each.enabled ? 'disabled' : each.nextAt ? 'enabled' : 'over'} />` },
    {
      id: 'acts',
      head: html`<span class="hidden">${t('clocks.acts')}</span>`,
      cell: (each) => html`
        <span class="row">
          <button type="button" aria-expanded=${shown === each ? 'true' : 'false'} aria-label=${t('clocks.preview.of', { id: each.id })} onClick=${() => onShow(shown === each ? null : each)}>${t('clocks.preview')}</button>
          <${Switch} what=${each.id} enabled=${each.enabled} where=${path`/plans/${each.plan}/schedules/${each.id}`} onDone=${onChange} />
        </span>
      `,
    },
  ];
}

/** Enables or disables; `where` is the address of what has the switch. */
export function Switch({ what, enabled, where, onDone }) {
  const { busy, error, act } = useAction();
  const flip = () =>
    act(async (signal) => {
      await post(`${where}/${enabled ? 'disable' : 'enable'}`, { signal });
      say(t(enabled ? 'switch.disabled' : 'switch.enabled', { what }));
      onDone();
    });
  return html`
    <button type="button" disabled=${busy} aria-label=${t(enabled ? 'switch.disable.of' : 'switch.enable.of', { what })} onClick=${flip}>${t(enabled ? 'switch.disable' : 'switch.enable')}</button>
    ${error && html`<${ErrorBox} error=${error} />`}
  `;
}

/** When a schedule fires next, and what it starts the plan with. */
export function Next({ schedule }) {
  const found = useApi(path`/plans/${schedule.plan}/schedules/${schedule.id}/preview`, { count: 10 });
  return html`
    <section class="card gap-above" aria-label=${t('clocks.preview.of', { id: schedule.id })}>
      <div class="columns">
        <div>
          <h2 class="gap">${t('clocks.firings', { id: schedule.id })}</h2>
          ${found.error && html`<${ErrorBox} error=${found.error} retry=${found.reload} />`}
          ${found.loading && html`<p class="loading" role="status">${t('shell.loading')}</p>`}
          ${found.data &&
          html`<${Table}
            label=${t('clocks.firings', { id: schedule.id })}
            rows=${found.data.items}
            empty=${html`<p class="soft">${t('clocks.never')}</p>`}
            columns=${[
              { id: 'local', head: found.data.timeZone, cell: (each) => html`<span class="nums nowrap">${each.local.replace('T', ' ')}</span>` },
              { id: 'at', head: t('clocks.here'), wide: true, cell: (each) => html`<${Time} at=${each.at} />${each.shift && html` <span class="soft">${t(`clocks.${each.shift}`)}</span>`}` },
            ]}
          />`}
        </div>
        <div>
          <h2 class="gap">${t('data.input')}</h2>
          <${Json} value=${schedule.input} label=${t('data.input')} />
        </div>
      </div>
    </section>
  `;
}

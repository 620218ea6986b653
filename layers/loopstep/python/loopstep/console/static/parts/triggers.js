// The triggers of one plan: which events start it, and the switch.
import { path } from '../api.js';
import { usePages } from '../asking.js';
import { html, useState } from '../lib.js';
import { href } from '../router.js';
import { t } from '../text.js';
import { Switch } from './clocks.js';
import { Json } from './json.js';
import { Empty } from './page.js';
import { Status } from './status.js';
import { PagedTable } from './table.js';

export function Triggers({ plan }) {
  const pages = usePages(path`/plans/${plan}/triggers`);
  const [shown, setShown] = useState(null);
  return html`
    <${PagedTable}
      label=${t('triggers.title')}
      pages=${pages}
      rowKey=${(each) => each.id}
      columns=${triggerColumns({ onChange: pages.reload, shown, onShow: setShown })}
      empty=${html`<${Empty} title=${t('triggers.none')}><code>loopstep triggers put ${plan} ID FILE</code><//>`}
    />
    ${shown && html`<${Rule} trigger=${shown} />`}
  `;
}

/** The columns of a table of triggers; `withPlan` where they are of several plans. */
export function triggerColumns({ withPlan = false, onChange, shown, onShow }) {
  return [
    ...(withPlan ? [{ id: 'plan', head: t('clocks.plan'), cell: (each) => html`<a href=${href('/plans/:name', { name: each.plan }, { tab: 'starts' })}>${each.plan}</a>` }] : []),
    { id: 'id', head: t('clocks.id'), cell: (each) => html`<code>${each.id}</code>` },
    { id: 'pattern', head: t('triggers.pattern'), wide: true, cell: (each) => html`<code>${brief(each.pattern)}</code>${each.version && html`<span class="sub">${t('plan.version', { version: each.version })}</span>`}` },
    { id: 'status', head: t('clocks.status'), cell: (each) => html`<${Status} status=${each.enabled ? 'enabled' : 'disabled'} />` },
    {
      id: 'acts',
      head: html`<span class="hidden">${t('clocks.acts')}</span>`,
      cell: (each) => html`
        <span class="row">
          <button type="button" aria-expanded=${shown === each ? 'true' : 'false'} aria-label=${t('triggers.show.of', { id: each.id })} onClick=${() => onShow(shown === each ? null : each)}>${t('triggers.show')}</button>
          <${Switch} what=${each.id} enabled=${each.enabled} where=${path`/plans/${each.plan}/triggers/${each.id}`} onDone=${onChange} />
        </span>
      `,
    },
  ];
}

/** Pattern and input mapping of a trigger. */
export function Rule({ trigger }) {
  return html`
    <section class="card gap-above" aria-label=${t('triggers.show.of', { id: trigger.id })}>
      <div class="columns">
        <div><h2 class="gap">${t('triggers.pattern')}</h2><${Json} value=${trigger.pattern} label=${t('triggers.pattern')} depth=${4} /></div>
        <div><h2 class="gap">${t('triggers.mapping')}</h2><${Json} value=${trigger.input} label=${t('triggers.mapping')} depth=${4} /></div>
      </div>
    </section>
  `;
}

function brief(pattern) {
  const text = JSON.stringify(pattern);
  return text.length > 160 ? `${text.slice(0, 159)}…` : text;
}

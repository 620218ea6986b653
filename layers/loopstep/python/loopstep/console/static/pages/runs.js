// All runs, the newest first: of a plan, of a status, of a span of time.
import { every } from '../api.js';
import { usePages } from '../asking.js';
import { html, useEffect, useId, useState } from '../lib.js';
import { Icon } from '../parts/icon.js';
import { Empty, Page } from '../parts/page.js';
import { Status } from '../parts/status.js';
import { PagedTable } from '../parts/table.js';
import { Between, Time } from '../parts/time.js';
import { href, setQuery } from '../router.js';
import { t } from '../text.js';

const STATUSES = ['running', 'succeeded', 'failed', 'timed_out', 'cancelled', 'created'];
const SPANS = { hour: 3_600_000, day: 86_400_000, week: 604_800_000, month: 2_592_000_000 };

export default function Runs({ query }) {
  const pages = usePages('/runs', { plan: query.plan, status: query.status, ...spanOf(query) });
  const filtered = query.plan || query.status || query.started;
  return html`
    <${Page} title=${t('runs.title')} actions=${html`<button type="button" onClick=${pages.reload}><${Icon} name="redo" />${t('runs.again')}</button>`}>
      <${Filters} query=${query} />
      <${PagedTable}
        label=${t('runs.title')}
        pages=${pages}
        columns=${columns()}
        rowKey=${(run) => run.runId}
        empty=${html`<${Empty} title=${t(filtered ? 'runs.none' : 'runs.nothing')}>${!filtered && html`<a href="#/plans">${t('runs.start')}</a>`}<//>`}
      />
    <//>
  `;
}

function columns() {
  return [
    {
      id: 'run',
      head: t('runs.run'),
      cell: (run) => html`<a href=${href('/runs/:run', { run: run.runId })}><code>${run.runId}</code></a>`,
    },
    { id: 'plan', head: t('runs.plan'), wide: true, cell: (run) => html`<a href=${href('/plans/:name', { name: run.plan }, { version: run.version })}>${run.plan}</a> <span class="soft">v${run.version}</span>` },
    { id: 'status', head: t('runs.status'), cell: (run) => html`<${Status} status=${run.status} />${run.error && html`<span class="sub"><code>${run.error.code}</code></span>`}` },
    { id: 'started', head: t('run.started'), cell: (run) => html`<${Time} at=${run.startedAt} brief />` },
    { id: 'took', head: t('run.took'), number: true, cell: (run) => (run.status === 'created' ? html`<span class="soft">–</span>` : html`<${Between} from=${run.startedAt} to=${run.endedAt} />`) },
  ];
}

function Filters({ query }) {
  const plans = usePlans();
  const id = useId();
  const names = query.plan && !plans.includes(query.plan) ? [query.plan, ...plans] : plans;
  const own = query.started === 'span';
  return html`
    <form class="bar" role="search" aria-label=${t('runs.filter')} onSubmit=${(event) => event.preventDefault()}>
      <${Choice} label=${t('runs.plan')} value=${query.plan} options=${[['', t('runs.every')], ...names.map((each) => [each, each])]} onPick=${(plan) => setQuery({ plan })} />
      <${Choice} label=${t('runs.status')} value=${query.status} options=${[['', t('runs.every')], ...STATUSES.map((each) => [each, t(`status.${each}`)])]} onPick=${(status) => setQuery({ status })} />
      <${Choice}
        label=${t('run.started')}
        value=${query.started}
        options=${[['', t('runs.always')], ...Object.keys(SPANS).map((each) => [each, t(`runs.${each}`)]), ['span', t('runs.span')]]}
        onPick=${(started) => setQuery({ started, since: null, until: null })}
      />
      ${own &&
      html`
        <div class="field"><label for=${`${id}-since`}>${t('runs.since')}</label><input id=${`${id}-since`} type="datetime-local" value=${query.since || ''} onChange=${(event) => setQuery({ since: event.target.value })} /></div>
        <div class="field"><label for=${`${id}-until`}>${t('runs.until')}</label><input id=${`${id}-until`} type="datetime-local" value=${query.until || ''} onChange=${(event) => setQuery({ until: event.target.value })} /></div>
      `}
    </form>
  `;
}

function Choice({ label, value = '', options, onPick }) {
  const id = useId();
  return html`
    <div class="field">
      <label for=${id}>${label}</label>
      <select id=${id} value=${value} onChange=${(event) => onPick(event.target.value)}>
        ${options.map(([each, text]) => html`<option key=${each} value=${each} selected=${each === value}>${text}</option>`)}
      </select>
    </div>
  `;
}

function usePlans() {
  const [names, setNames] = useState([]);
  useEffect(() => {
    const leaving = new AbortController();
    every('/plans', { signal: leaving.signal, most: 500 }).then(
      (plans) => setNames(plans.map((each) => each.name)),
      () => {}, // the filter then has no names; the list says what is wrong
    );
    return () => leaving.abort();
  }, []);
  return names;
}

/** `since` and `until` of the query, as the API takes them; whole minutes, so that the same list is not asked anew. */
function spanOf({ started, since, until }) {
  if (started in SPANS) {
    const now = Math.floor(Date.now() / 60_000) * 60_000;
    return { since: new Date(now - SPANS[started]).toISOString() };
  }
  return started === 'span' ? { since: utc(since), until: utc(until) } : {};
}

function utc(local) {
  const date = new Date(local || '');
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

// What waits for people: approvals and callbacks, pending and past.
import { usePages } from '../asking.js';
import { html } from '../lib.js';
import { Icon } from '../parts/icon.js';
import { Empty, Page } from '../parts/page.js';
import { Status } from '../parts/status.js';
import { PagedTable } from '../parts/table.js';
import { Tabs } from '../parts/tabs.js';
import { Time } from '../parts/time.js';
import { Left } from '../parts/wait.js';
import { href, setQuery } from '../router.js';
import { t } from '../text.js';

const STATUSES = {
  approvals: ['pending', 'approved', 'rejected', 'timed_out', 'ended'],
  callbacks: ['pending', 'completed', 'failed', 'timed_out', 'ended'],
};

export default function Inbox({ query }) {
  const kinds = Object.keys(STATUSES);
  return html`
    <${Page} title=${t('inbox.title')} about=${t('inbox.about')}>
      <${Tabs}
        label=${t('inbox.kinds')}
        tabs=${kinds.map((kind) => ({ id: kind, text: t(`inbox.${kind}`), show: () => html`<${List} kind=${kind} query=${query} />` }))}
        chosen=${query.kind || 'approvals'}
        onPick=${(kind) => setQuery({ kind: kind === 'approvals' ? null : kind, status: null })}
      />
    <//>
  `;
}

function List({ kind, query }) {
  const status = query.status || 'pending';
  const pages = usePages(`/${kind}`, { status: status === 'all' ? undefined : status });
  return html`
    <div class="bar" role="group" aria-label=${t('run.only')}>
      ${[...STATUSES[kind], 'all'].map(
        (each) => html`<button key=${each} type="button" class="chip" aria-pressed=${each === status ? 'true' : 'false'} onClick=${() => setQuery({ status: each === 'pending' ? null : each })}>
          ${each === 'all' ? t('run.all') : t(`status.${each}`)}
        </button>`,
      )}
      <button type="button" class="push" onClick=${pages.reload}><${Icon} name="redo" />${t('runs.again')}</button>
    </div>
    <${PagedTable}
      label=${t(`inbox.${kind}`)}
      pages=${pages}
      columns=${columns(kind)}
      rowKey=${(each) => each.id}
      empty=${html`<${Empty} title=${t(status === 'pending' ? `inbox.nothing.${kind}` : 'table.empty')} />`}
    />
  `;
}

function columns(kind) {
  return [
    {
      id: 'what',
      head: t('inbox.what'),
      wide: true,
      cell: (each) => html`<a class="strong" href=${href(`/${kind}/:id`, { id: each.id })}>${firstLine(each.summary || each.text) || each.nodeId}</a>
        <span class="sub">${each.plan} v${each.version} · ${each.nodeId}</span>`,
    },
    { id: 'scope', head: t('inbox.scope'), cell: (each) => html`<code>${each.scope}</code>` },
    { id: 'status', head: t('runs.status'), cell: (each) => html`<${Status} status=${each.status} />${each.decidedBy && html`<span class="sub">${t('inbox.by', { who: each.decidedBy })}</span>`}` },
    { id: 'asked', head: t('inbox.asked'), cell: (each) => html`<${Time} at=${each.askedAt} brief />` },
    { id: 'until', head: t('inbox.until'), cell: (each) => (each.status === 'pending' ? html`<${Left} until=${each.deadline} />` : html`<${Time} at=${each.closedAt} brief />`) },
  ];
}

function firstLine(text) {
  const line = (text || '').trim().split('\n')[0];
  return line.length > 120 ? `${line.slice(0, 120)}…` : line;
}

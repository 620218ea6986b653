// A run's timeline: a level at a time, what is folded asked for when it is opened, and asked again as the run moves.
import { get, path } from '../api.js';
import { cx, html, useEffect, useId, useRef, useState } from '../lib.js';
import { number, n, t } from '../text.js';
import { ErrorBox } from './error.js';
import { Icon } from './icon.js';
import { Status, STATUS } from './status.js';
import { moment, span } from './time.js';
import { because } from './why.js';

const PAGE = 50;
const OPEN = ['running', 'waiting'];

/** `onPick(activation)` shows one; `picked` is its id. `round` says that the run has moved. */
export function Timeline({ run, round, picked, onPick }) {
  const begun = Date.parse(run.startedAt);
  const ended = run.endedAt ? Date.parse(run.endedAt) : Date.now();
  const view = { run: run.runId, round, begun, length: Math.max(1, ended - begun), picked, onPick };
  return html`
    <div class="timeline" role="group" aria-label=${t('run.timeline')}>
      <div class="tl-row tl-head" aria-hidden="true">
        <span>${t('run.step')}</span><span>${t('run.left')}</span><span class="tl-span"></span><span class="nums">${t('run.start')}</span>
        <span class="nums">${t('run.took')}</span>
      </div>
      <${Level} view=${view} within="" depth=${0} />
    </div>
  `;
}

/** The rows of one place, page by page. */
function Level({ view, within, depth, status }) {
  const { pages, error, busy, more, retry } = useLevel(view, within, status);
  if (error && !pages.length) return html`<${ErrorBox} error=${error} retry=${retry} />`;
  if (!pages.length) return html`<p class="tl-note soft">${t('shell.loading')}</p>`;
  const rows = pages.flatMap((page) => page.items);
  const next = pages[pages.length - 1].next;
  if (!rows.length) return html`<p class="tl-note soft">${t(depth ? 'run.nothing_here' : 'run.nothing_yet')}</p>`;
  return html`
    <ul class="tl-level">
      ${rows.map((row) => html`<${Row} key=${row.within || row.activation.id} row=${row} view=${view} depth=${depth} />`)}
      ${next &&
      html`<li class="tl-more">
        <button type="button" onClick=${more} disabled=${busy}>${busy ? t('shell.loading') : t('table.more')}</button>
        <span class="soft small">${n('table.shown', rows.length)}</span>
      </li>`}
    </ul>
  `;
}

/** The pages of a level. When the run moves, those are asked for again that can still change: an open row, or the last. */
function useLevel(view, within, status) {
  const [pages, setPages] = useState([]);
  const [state, setState] = useState({ error: null, busy: false });
  const [again, setAgain] = useState(0);
  const current = useRef([]);
  current.current = pages;
  const leaving = useRef(null);
  const fetch = (next, signal) => get(path`/runs/${view.run}/timeline`, { query: { within, status, limit: PAGE, next }, signal });
  useEffect(() => {
    const left = new AbortController();
    leaving.current = left;
    refresh(current.current, fetch, left.signal)
      .then((found) => {
        if (!left.signal.aborted) setPages(found), setState({ error: null, busy: false });
      })
      .catch((error) => left.signal.aborted || setState({ error, busy: false }));
    return () => left.abort();
  }, [view.run, view.round, within, status, again]);
  const more = async () => {
    const { signal } = leaving.current;
    setState({ error: null, busy: true });
    try {
      const page = await fetch(pages[pages.length - 1].next, signal);
      setPages((last) => [...last, { ...page, from: last[last.length - 1].next }]);
      setState({ error: null, busy: false });
    } catch (error) {
      setState({ error, busy: false });
    }
  };
  return { pages, ...state, more, retry: () => setAgain((count) => count + 1) };
}

async function refresh(pages, fetch, signal) {
  if (!pages.length) return [await fetch(null, signal)];
  const found = [];
  for (const [index, page] of pages.entries()) {
    const lively = index === pages.length - 1 || page.items.some((row) => OPEN.includes(row.status));
    found.push(lively ? { ...(await fetch(page.from || null, signal)), from: page.from } : page);
  }
  return found;
}

function Row({ row, view, depth }) {
  if (row.row === 'activation') return html`<li><${Activation} row=${row} view=${view} depth=${depth} /></li>`;
  return html`<${Group} row=${row} view=${view} depth=${depth} />`;
}

/** An activation: a button that shows it. */
function Activation({ row, view, depth }) {
  const { activation } = row;
  const here = view.picked === activation.id;
  return html`
    <button
      type="button"
      class=${cx('tl-row', `at-${Math.min(depth, 8)}`, here && 'here')}
      aria-pressed=${here ? 'true' : 'false'}
      onClick=${() => view.onPick(activation)}
      data-activation=${activation.id}
    >
      <span class="tl-name"><span class="tl-twist"></span><${Mark} status=${row.status} /><span class="tl-text">${activation.nodeId}</span>
        ${activation.attempts > 1 && html`<span class="count">${n('run.attempts', activation.attempts)}</span>`}</span>
      <${Left} activation=${activation} />
      <${Times} row=${row} view=${view} />
    </button>
  `;
}

/** An item, a pass, a branch, or all of a region: opens to what is inside. */
function Group({ row, view, depth }) {
  const folded = row.row === 'groups';
  const [open, setOpen] = useState(!folded && (depth < 1 || OPEN.includes(row.status) || row.status === 'failed'));
  const [status, setStatus] = useState('');
  const id = useId();
  const head = row.row === 'group' ? row.activation : null;
  return html`
    <li>
      <div class="tl-group">
        <button
          type="button"
          class=${cx('tl-row', `at-${Math.min(depth, 8)}`, folded && 'folded')}
          aria-expanded=${open ? 'true' : 'false'}
          aria-controls=${id}
          onClick=${() => setOpen(!open)}
          data-within=${row.within}
        >
          <span class="tl-name"><span class="tl-twist"><${Icon} name=${open ? 'down' : 'right'} size=${12} /></span><${Mark} status=${row.status} />
            <span class="tl-text">${title(row)}</span></span>
          ${head ? html`<${Left} activation=${head} />` : html`<span class="tl-left"><${Counts} counts=${row.counts} whole=${folded} /></span>`}
          <${Times} row=${row} view=${view} />
        </button>
      </div>
      <div id=${id} hidden=${!open}>
        ${open && folded && html`<${Filter} counts=${row.counts} value=${status} onPick=${setStatus} depth=${depth} />`}
        ${open && head && html`<${Activation} row=${{ ...row, row: 'activation', status: head.status, startedAt: head.startedAt, endedAt: head.endedAt }} view=${view} depth=${depth + 1} />`}
        ${open && html`<${Level} key=${status} view=${view} within=${row.within} depth=${depth + 1} status=${status} />`}
      </div>
    </li>
  `;
}

function Filter({ counts, value, onPick, depth }) {
  const known = Object.keys(counts).filter((each) => counts[each]);
  if (known.length < 2) return null;
  return html`
    <div class=${`tl-filter at-${Math.min(depth + 1, 8)}`} role="group" aria-label=${t('run.only')}>
      ${['', ...known].map(
        (each) => html`<button
          key=${each}
          type="button"
          class="small"
          aria-pressed=${value === each ? 'true' : 'false'}
          onClick=${() => onPick(each)}
        >
          ${each ? html`<${Mark} status=${each} bare />${t(`status.${each}`)} <span class="count">${number(counts[each])}</span>` : t('run.all')}
        </button>`,
      )}
    </div>
  `;
}

/** A status as an icon, its word for those who hear the row. */
export function Mark({ status, bare = false }) {
  const [icon, tone] = STATUS[status] || ['dot', 'off'];
  return html`<span class=${`mark ${tone}`}><${Icon} name=${icon} size=${14} spins=${status === 'running'} />
    ${!bare && html`<span class="hidden">${t(`status.${status}`)}</span>`}</span>`;
}

function Left({ activation }) {
  const { error, port, edge, choice, until, status } = activation;
  if (error) return html`<span class="tl-left fault"><code>${error.code}</code></span>`;
  if (status === 'waiting') return html`<span class="tl-left soft">${until ? t('run.until', { at: moment(until, true) }) : t('status.waiting')}</span>`;
  if (!port) return html`<span class="tl-left soft"></span>`;
  const why = because(choice, edge);
  return html`<span class="tl-left soft">${port === 'completed' || port === 'in' ? '' : `${port} `}${edge && `→ ${edge}`}${why && html` <code class="tl-why">${why}</code>`}</span>`;
}

function Counts({ counts, whole }) {
  const known = Object.entries(counts).filter(([, count]) => count);
  if (!whole && known.length === 1 && known[0][0] === 'completed') return html`<span class="soft">${n('run.steps', known[0][1])}</span>`;
  return known.map(([status, count]) => html`<span key=${status} class="tl-count"><${Status} status=${status} text=${`${number(count)} ${t(`status.${status}`)}`} /></span>`);
}

function Times({ row, view }) {
  const begun = Date.parse(row.startedAt) - view.begun;
  const length = row.endedAt ? Date.parse(row.endedAt) - Date.parse(row.startedAt) : null;
  const tone = (STATUS[row.status] || ['', 'off'])[1];
  const left = Math.min(98, (100 * begun) / view.length);
  const width = Math.max(1.5, (100 * (length === null ? view.length - begun : length)) / view.length);
  return html`
    <span class="tl-span" aria-hidden="true">
      <svg width="100%" height="8" preserveAspectRatio="none"><rect class=${`bar ${tone}`} x=${`${left}%`} y="1" width=${`${Math.min(width, 100 - left)}%`} height="6" rx="3" /></svg>
    </span>
    <span class="nums soft">+${span(Math.max(0, begun))}</span>
    <span class="nums">${length === null ? '…' : span(length)}</span>
  `;
}

function title(row) {
  if (row.row === 'groups') {
    const count = Object.values(row.counts).reduce((sum, each) => sum + each, 0);
    return t(`run.every.${row.kind}`, { node: row.nodeId, count: number(count) });
  }
  if (row.index === null) return t('run.branch', { node: row.nodeId, part: row.part });
  return t(`run.one.${row.kind}`, { node: row.nodeId, index: number(row.index) });
}

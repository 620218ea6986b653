// One activation: where it stands, what it took and gave, how often it was tried, and why it left where it left.
import { path } from '../api.js';
import { useApi } from '../asking.js';
import { html, useEffect, useRef } from '../lib.js';
import { n, number, t } from '../text.js';
import { ErrorBox } from './error.js';
import { Json } from './json.js';
import { Status } from './status.js';
import { Table } from './table.js';
import { Between, Time } from './time.js';
import { Why } from './why.js';

/** The id of an activation as the API is asked for it: `row#3.1` → {nodeId: 'row', path: '3.1'}. */
export function parts(id) {
  const [nodeId, numbers = ''] = id.split('#');
  return { nodeId, path: numbers };
}

export function Activation({ run, id, round, onPick, onClose, onRevision, links = [] }) {
  const { nodeId, path: numbers } = parts(id);
  const { data, error, loading, reload } = useApi(path`/runs/${run}/activations`, { nodeId, path: numbers || undefined, limit: 100 });
  const head = useRef(null);
  const first = useRef(true);
  useEffect(() => {
    if (!first.current) reload();
    first.current = false;
  }, [round]);
  const found = data && data.items.find((each) => each.id === id);
  return html`
    <section class="card act" aria-label=${t('run.activation', { id: nodeId })}>
      <div class="act-head">
        <h2 ref=${head} tabindex="-1">${nodeId}</h2>
        ${found && html`<${Status} status=${found.status} />`}
        <button type="button" class="quiet push" onClick=${onClose}>${t('run.close')}</button>
      </div>
      ${error && !found && html`<${ErrorBox} error=${error} retry=${reload} />`}
      ${loading && html`<p class="loading" role="status">${t('shell.loading')}</p>`}
      ${data && !found && html`<p class="soft">${t('run.gone')}</p>`}
      ${found && html`<${Found} found=${found} onPick=${onPick} onRevision=${onRevision} links=${links.filter((each) => each.activationId === id)} />`}
    </section>
  `;
}

function Found({ found, onPick, onRevision, links }) {
  const omitted = found.omitted || {};
  return html`
    ${links.map(
      (each) => html`<p key=${each.id} class="notice wait"><a href=${`#/${each.kind}/${encodeURIComponent(each.id)}`}>${t(`run.open.${each.kind}`)}</a></p>`,
    )}
    <dl class="facts">
      ${found.enclosing.length > 0 && html`<dt>${t('run.place')}</dt><dd>${found.enclosing.map(where).join(' · ')}</dd>`}
      <dt>${t('run.began')}</dt><dd><${Time} at=${found.startedAt} /></dd>
      <dt>${t('run.took')}</dt><dd>${found.endedAt ? html`<${Between} from=${found.startedAt} to=${found.endedAt} />` : t('run.still')}</dd>
      ${found.until && html`<dt>${t('run.waits_until')}</dt><dd><${Time} at=${found.until} /></dd>`}
      ${found.source &&
      html`<dt>${t('run.came')}</dt>
        <dd><button type="button" class="link" onClick=${() => onPick({ id: found.source })}>${named(found.source)}</button>${found.arrivedBy && html` <span class="soft">${t('run.by_edge', { edge: found.arrivedBy })}</span>`}</dd>`}
      ${found.port && html`<dt>${t('run.went')}</dt><dd>${found.port}${found.edge && html` → <span class="strong">${found.edge}</span>`}</dd>`}
      <dt>${t('run.tries')}</dt><dd>${number(found.attempts)}</dd>
    </dl>
    ${found.error && html`<div class="notice bad"><div><p class="strong"><code>${found.error.code}</code></p><p>${found.error.message}</p></div></div>`}
    ${found.choice && html`<h3>${t('run.why')}</h3><${Why} choice=${found.choice} edge=${found.edge} />`}
    <${Value} title=${t('run.input')} value=${found.input} omitted=${omitted.input} open />
    <${Value} title=${t('run.output')} value=${found.output} omitted=${omitted.output} open />
    ${found.wrote &&
    html`<${Value} title=${t('run.wrote')} value=${found.wrote} open />
      <p><button type="button" class="link" onClick=${() => onRevision(found.revision)}>${t('run.revision', { number: found.revision })}</button></p>`}
    ${found.tries.length > 0 && html`<h3>${t('run.attempts_title')}</h3><${Tries} tries=${found.tries} />`}
  `;
}

function Value({ title, value, omitted, open }) {
  return html`<details class="value" open=${open}><summary>${title}</summary><${Json} value=${value} label=${title} omitted=${omitted} /></details>`;
}

function Tries({ tries }) {
  const columns = [
    { id: 'number', head: '#', number: true, cell: (each) => each.number },
    { id: 'began', head: t('run.began'), cell: (each) => html`<${Time} at=${each.startedAt} brief />` },
    { id: 'took', head: t('run.took'), number: true, cell: (each) => (each.endedAt ? html`<${Between} from=${each.startedAt} to=${each.endedAt} />` : '…') },
    { id: 'how', head: t('run.how'), wide: true, cell: (each) => html`${each.code ? html`<code class="fault">${each.code}</code>` : each.endedAt ? t('status.completed') : t('status.running')}${each.usage && html`<span class="sub">${used(each.usage)}</span>`}` },
  ];
  return html`<${Table} label=${t('run.attempts_title')} columns=${columns} rows=${tries} rowKey=${(each) => `${each.epoch}.${each.number}`} />`;
}

function used(usage) {
  return t('run.usage', { model: usage.model, calls: n('run.calls', usage.calls), in: number(usage.inputTokens), out: number(usage.outputTokens) });
}

const where = (part) =>
  part.index === null
    ? t('run.branch', { node: part.nodeId, part: part.part })
    : t(`run.one.${part.kind}`, { node: part.nodeId, index: number(part.index) });

export function named(id) {
  const { nodeId, path: numbers } = parts(id);
  return numbers ? `${nodeId} [${numbers}]` : nodeId;
}

// JSON values to read: folded, and large ones a piece at a time.
import { html, useState } from '../lib.js';
import { n, t } from '../text.js';
import { Copy } from './copy.js';

const PIECE = 100; // entries shown at a time
const LONG = 600; // characters of a text shown at first
const DEPTH = 2; // levels that are open at first
const FEW = 12; // entries of a map or list that opens by itself

/** `label` names the value; `omitted` ({bytes, url}) stands for one that an answer could not carry. */
export function Json({ value, label, depth = DEPTH, omitted }) {
  if (omitted) return html`<${Omitted} ...${omitted} />`;
  if (value === undefined || value === null) return html`<p class="soft">${t('json.none')}</p>`;
  return html`
    <div class="json">
      <div class="json-tools"><${Copy} text=${() => JSON.stringify(value, null, 2)} what=${label || 'JSON'} /></div>
      <${Value} value=${value} depth=${depth} />
    </div>
  `;
}

function Omitted({ bytes, url }) {
  return html`<p class="soft">
    ${t('json.omitted', { bytes: n('json.bytes', bytes) })} ${url && html`<a href=${url} target="_blank" rel="noopener noreferrer">${t('json.open')}</a>`}
  </p>`;
}

function Value({ name, value, depth }) {
  const head = name === undefined ? null : html`<span class="json-key">${name}</span>${': '}`;
  if (value !== null && typeof value === 'object') return html`<${Branch} name=${name} value=${value} depth=${depth} head=${head} />`;
  return html`<div class="json-line">${head}<${Leaf} value=${value} /></div>`;
}

function Branch({ value, depth, head }) {
  const list = Array.isArray(value);
  const entries = list ? value.map((each, index) => [index, each]) : Object.entries(value);
  const [open, setOpen] = useState(depth > 0 && entries.length <= Math.max(FEW, PIECE * (depth - 1)));
  const [most, setMost] = useState(PIECE);
  if (!entries.length) return html`<div class="json-line">${head}<span class="soft">${list ? '[ ]' : '{ }'}</span></div>`;
  return html`
    <details open=${open} onToggle=${(event) => setOpen(event.target.open)}>
      <summary>${head}<span class="soft">${list ? n('json.items', entries.length) : n('json.fields', entries.length)}</span></summary>
      ${open &&
      html`<div class="json-inside">
        ${entries.slice(0, most).map(([key, each]) => html`<${Value} key=${key} name=${key} value=${each} depth=${depth - 1} />`)}
        ${entries.length > most &&
        html`<button type="button" onClick=${() => setMost(most + PIECE)}>${n('json.more', entries.length - most)}</button>`}
      </div>`}
    </details>
  `;
}

function Leaf({ value }) {
  const [all, setAll] = useState(false);
  if (typeof value !== 'string') return html`<span class=${`json-${value === null ? 'null' : typeof value}`}>${String(value)}</span>`;
  const cut = value.length > LONG && !all;
  return html`
    <span class="json-string">${cut ? value.slice(0, LONG) + '…' : value}</span>
    ${value.length > LONG &&
    html`<button type="button" class="quiet" onClick=${() => setAll(!all)}>
      ${all ? t('json.less') : n('json.whole', value.length)}
    </button>`}
  `;
}

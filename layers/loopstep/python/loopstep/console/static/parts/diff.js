// What differs between two texts, line by line; a sign stands before each line, so that colour is not needed.
import { differences, folded } from '../diff.js';
import { html, useMemo, useState } from '../lib.js';
import { n, t } from '../text.js';

export function Diff({ before, after, label }) {
  const pieces = useMemo(() => folded(differences(before, after)), [before, after]);
  const changed = pieces.filter((each) => each.sign && each.sign !== ' ');
  if (!changed.length) return html`<p class="soft">${t('changes.same')}</p>`;
  const added = changed.filter((each) => each.sign === '+').length;
  return html`
    <p class="soft">${n('changes.added', added)}, ${n('changes.removed', changed.length - added)}</p>
    <pre class="code diff" tabindex="0" role="region" aria-label=${label}>${pieces.map((each, index) =>
      each.hidden ? html`<${Hidden} key=${index} lines=${each.hidden} />` : html`<${Line} key=${index} line=${each} />`,
    )}</pre>
  `;
}

const KIND = { '+': 'added', '-': 'removed' };

function Line({ line }) {
  return html`<span class=${KIND[line.sign]} data-sign=${line.sign}>${KIND[line.sign] && html`<span class="hidden">${t(`status.${KIND[line.sign]}`)}: </span>`}${line.text}</span>`;
}

function Hidden({ lines }) {
  const [open, setOpen] = useState(false);
  if (open) return lines.map((line) => html`<${Line} key=${line.from} line=${line} />`);
  return html`<button type="button" class="quiet" onClick=${() => setOpen(true)}>${n('changes.hidden', lines.length)}</button>`;
}

// Diagnostics of a document: what, where, and how out of it.
import { html } from '../lib.js';
import { n, t } from '../text.js';
import { Status } from './status.js';

const MOST = 100;

/** `onLine(line, column)`: the place of one was chosen. `omitted`: how many more there are. */
export function Findings({ found, onLine, omitted = 0 }) {
  if (!found.length) return null;
  const left = found.length - MOST + omitted;
  return html`
    <ul class="findings" aria-label=${t('findings.label')}>
      ${found.slice(0, MOST).map(
        (each, index) => html`
          <li key=${index} class=${each.severity}>
            <span class="where">
              <${Status} status=${each.severity} />
              <button type="button" class="link" onClick=${() => onLine(each.line, each.column)}>${t('findings.at', { line: each.line, column: each.column })}</button>
              <code class="soft">${each.code}</code>
            </span>
            <span>${each.message}</span>
            ${each.hint && html`<span class="soft">${each.hint}</span>`}
            ${each.related.map(
              (other, at) => html`<span key=${at} class="soft">
                ${other.message} <button type="button" class="link" onClick=${() => onLine(other.line, other.column)}>${t('findings.at', { line: other.line, column: other.column })}</button>
              </span>`,
            )}
          </li>
        `,
      )}
    </ul>
    ${left > 0 && html`<p class="soft">${n('findings.more', left)}</p>`}
  `;
}

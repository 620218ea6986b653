// What two JSON values differ in: a list of places, each with what stood before and what stands now.
import { html } from '../lib.js';
import { n, t } from '../text.js';
import { Status } from './status.js';
import { shown } from './why.js';

const MOST = 200; // places that are shown

/** [{path, kind: 'added' | 'removed' | 'changed', before, after}] in the order of the new value. */
export function differences(before, after, path = '') {
  if (same(before, after)) return [];
  if (!nested(before) || !nested(after) || Array.isArray(before) !== Array.isArray(after)) {
    const kind = before === undefined ? 'added' : after === undefined ? 'removed' : 'changed';
    return [{ path: path || '/', kind, before, after }];
  }
  const names = [...new Set([...Object.keys(after), ...Object.keys(before)])];
  return names.flatMap((name) => differences(own(before, name), own(after, name), `${path}/${name}`));
}

export function Differences({ before, after }) {
  const found = differences(before, after);
  if (!found.length) return html`<p class="soft">${t('diff.none')}</p>`;
  return html`
    <div class="scroll" role="region" aria-label=${t('diff.title')} tabindex="0">
      <table class="diff">
        <thead><tr><th scope="col">${t('diff.what')}</th><th scope="col">${t('diff.place')}</th><th scope="col">${t('diff.before')}</th><th scope="col">${t('diff.after')}</th></tr></thead>
        <tbody>
          ${found.slice(0, MOST).map(
            (each) => html`<tr key=${each.path}>
              <td><${Status} status=${each.kind} /></td>
              <td><code>${each.path.replace(/^\//, '')}</code></td>
              <td>${each.before === undefined ? html`<span class="soft">–</span>` : html`<code>${shown(each.before)}</code>`}</td>
              <td>${each.after === undefined ? html`<span class="soft">–</span>` : html`<code>${shown(each.after)}</code>`}</td>
            </tr>`,
          )}
        </tbody>
      </table>
    </div>
    ${found.length > MOST && html`<p class="soft">${n('json.more', found.length - MOST)}</p>`}
  `;
}

const nested = (value) => value !== null && typeof value === 'object';
const own = (value, name) => (Object.hasOwn(value, name) ? value[name] : undefined);
const same = (one, other) => one === other || JSON.stringify(one) === JSON.stringify(other);

// What went wrong, in words, with a way on.
import { Problem, Unreachable } from '../api.js';
import { html } from '../lib.js';
import { has, t } from '../text.js';
import { Icon } from './icon.js';

/** `retry` is what the button does; without it there is none. Refused keys and left pages show nothing here. */
export function ErrorBox({ error, title, retry, again }) {
  if (error && (error.name === 'AbortError' || error.keyRefused)) return null;
  const errors = error instanceof Problem ? error.errors : [];
  return html`
    <div class="notice bad" role="alert">
      <${Icon} name="warning" />
      <div>
        <p class="strong">${title || headline(error)}</p>
        ${error && html`<p>${detail(error)}${error.code && html` <code class="soft">${error.code}</code>`}</p>`}
        ${errors.length > 0 &&
        html`<ul>
          ${errors.slice(0, 20).map(
            (each, index) => html`<li key=${index}>${each.path && html`<code>${each.path}</code> `}${each.message}</li>`,
          )}
        </ul>`}
        ${retry && html`<p><button type="button" onClick=${retry}>${again || t('error.again')}</button></p>`}
      </div>
    </div>
  `;
}

function headline(error) {
  if (error instanceof Unreachable) return t('error.unreachable');
  if (error instanceof Problem) return has(`error.${error.status}`) ? t(`error.${error.status}`) : t('error.refused');
  return t('error.fault');
}

function detail(error) {
  return error instanceof Unreachable ? t('error.unreachable.detail') : error.message;
}

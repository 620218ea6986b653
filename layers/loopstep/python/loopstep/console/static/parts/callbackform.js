// The form that answers a callback with an output, made from its contract; or the same as JSON.
import { draftsOf, valuesOf } from '../form.js';
import { html, useId, useState } from '../lib.js';
import { t } from '../text.js';
import { Fields } from './fields.js';

/** `errors`: what the API said of the last answer, `[{path, message}]`. `onAnswer(output)`. */
export function CallbackForm({ contract, busy, errors, onAnswer }) {
  const [drafts, setDrafts] = useState(() => draftsOf(contract, {}));
  const [raw, setRaw] = useState(null); // the text, while JSON is typed
  const [found, setFound] = useState([]);
  const id = useId();
  const told = found.length ? found : errors;
  const send = (event) => {
    event.preventDefault();
    const made = raw === null ? valuesOf(contract, drafts) : read(raw);
    setFound(made.errors);
    if (!made.errors.length) onAnswer(made.value);
  };
  const toJson = () => (setFound([]), setRaw(JSON.stringify(valuesOf(contract, drafts).value, null, 2)));
  const toForm = () => {
    const made = read(raw);
    setFound(made.errors);
    if (made.errors.length) return;
    setDrafts(draftsOf(contract, made.value));
    setRaw(null);
  };
  const wrong = raw !== null && found.length > 0;
  return html`
    <form class="decision" onSubmit=${send} novalidate>
      <div class="bar" role="group" aria-label=${t('inbox.entry')}>
        <button type="button" class="chip" aria-pressed=${raw === null ? 'true' : 'false'} onClick=${() => raw !== null && toForm()}>${t('inbox.form')}</button>
        <button type="button" class="chip" aria-pressed=${raw === null ? 'false' : 'true'} onClick=${() => raw === null && toJson()}>JSON</button>
      </div>
      ${raw === null
        ? html`<${Fields} fields=${contract} drafts=${drafts} errors=${told} onChange=${setDrafts} />`
        : html`<div class="field">
            <label for=${id}>${t('inbox.output')}</label>
            <textarea id=${id} class="mono" rows="8" spellcheck=${false} value=${raw} aria-invalid=${wrong ? 'true' : null} aria-describedby=${wrong ? `${id}-wrong` : null} onInput=${(event) => setRaw(event.target.value)}></textarea>
            ${wrong && html`<p class="fault small" role="alert" id=${`${id}-wrong`}>${t('form.json')}</p>`}
          </div>`}
      <div class="actions"><button type="submit" class="main" disabled=${busy}>${t('inbox.send')}</button></div>
    </form>
  `;
}

function read(text) {
  try {
    const value = JSON.parse(text);
    if (value && typeof value === 'object' && !Array.isArray(value)) return { value, errors: [] };
  } catch {
    // said below
  }
  return { value: null, errors: [{ path: '', message: 'form.json' }] };
}

// Asks for the API key. It goes into sessionStorage and into the header X-Api-Key, nowhere else.
import { API, Unreachable, get, setKey } from '../api.js';
import { useAction } from '../asking.js';
import { html, useEffect, useId, useRef, useState } from '../lib.js';
import { t } from '../text.js';
import { ErrorBox } from './error.js';

export function KeyPrompt({ refused }) {
  const [value, setValue] = useState('');
  const [wrong, setWrong] = useState(refused);
  const { busy, error, act } = useAction();
  const field = useRef(null);
  const id = useId();
  useEffect(() => {
    document.title = `${t('key.title')} · loopstep`;
    field.current.focus();
  }, []);
  const submit = (event) => {
    event.preventDefault();
    const given = value.trim();
    if (!given) return field.current.focus();
    setWrong(false);
    return act(async (signal) => {
      try {
        await get('/me', { signal, key: given });
        setKey(given);
      } catch (fault) {
        if (!fault.keyRefused) throw fault;
        setWrong(true);
        field.current.focus();
      }
    });
  };
  return html`
    <div class="page door">
      <form class="card" onSubmit=${submit}>
        <h1 tabindex="-1">${t('key.title')}</h1>
        <p class="soft">${t('key.why')}</p>
        <label for=${id}>${t('key.label')}</label>
        <input
          id=${id}
          ref=${field}
          type="password"
          name="loopstep-api-key"
          autocomplete="off"
          spellcheck=${false}
          value=${value}
          aria-invalid=${wrong ? 'true' : null}
          aria-describedby=${wrong ? `${id}-wrong` : `${id}-how`}
          onInput=${(event) => setValue(event.target.value)}
        />
        ${wrong && html`<p class="fault" id=${`${id}-wrong`} role="alert">${t('key.refused')}</p>`}
        <p class="soft small" id=${`${id}-how`}>${t('key.how')} <code>loopstep status --json</code></p>
        ${error && html`<${ErrorBox} error=${error} title=${error instanceof Unreachable ? null : t('key.failed')} />`}
        <p><button type="submit" class="main" disabled=${busy}>${busy ? t('key.trying') : t('key.open')}</button></p>
        <p class="soft small">${API.host}${API.pathname}</p>
      </form>
    </div>
  `;
}

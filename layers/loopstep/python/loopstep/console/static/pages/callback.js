// One callback: what was asked, and the form that answers it, made from its contract.
import { path, post } from '../api.js';
import { useAction, useApi } from '../asking.js';
import { html, useId, useState } from '../lib.js';
import { ErrorBox } from '../parts/error.js';
import { Json } from '../parts/json.js';
import { Page } from '../parts/page.js';
import { Asked, Stands } from '../parts/wait.js';
import { CallbackForm } from '../parts/callbackform.js';
import { say } from '../shell.js';
import { t } from '../text.js';

export default function Callback({ params }) {
  const { data, error, loading, reload, set } = useApi(path`/callbacks/${params.id}`);
  const crumbs = [[t('nav.inbox'), '#/inbox?kind=callbacks']];
  if (!data) {
    return html`<${Page} title=${t('inbox.callback')} crumbs=${crumbs}>
      ${error ? html`<${ErrorBox} error=${error} retry=${reload} />` : loading && html`<p class="loading" role="status">${t('shell.loading')}</p>`}
    <//>`;
  }
  return html`<${Page} title=${t('inbox.callback_of', { node: data.nodeId })} crumbs=${crumbs}><${Whole} wait=${data} set=${set} /><//>`;
}

function Whole({ wait, set }) {
  const { busy, error, act } = useAction();
  const answer = async (body) => {
    const done = await act(async (signal) => {
      try {
        return await post(path`/callbacks/${wait.id}`, { body, signal });
      } catch (fault) {
        if (fault.body && fault.body.callback) set(fault.body.callback);
        throw fault;
      }
    });
    if (!done) return;
    set(done);
    say(t(`inbox.answered.${done.status}`));
  };
  return html`
    <div class="columns">
      <section class="card">
        <h2>${t('inbox.question')}</h2>
        ${wait.omitted && wait.omitted.text ? html`<${Json} omitted=${wait.omitted.text} />` : html`<p class="said summary">${wait.text}</p>`}
        <${Asked} wait=${wait} />
      </section>
      <section class="card">
        <${Stands} error=${error} />
        ${wait.status === 'pending' ? html`<${Answer} wait=${wait} busy=${busy} error=${error} onAnswer=${answer} />` : html`<${Answered} wait=${wait} />`}
      </section>
    </div>
  `;
}

function Answer({ wait, busy, error, onAnswer }) {
  const [failing, setFailing] = useState(false);
  return html`
    <h2>${t('inbox.answer')}</h2>
    <div class="bar" role="group" aria-label=${t('inbox.how')}>
      <button type="button" class="chip" aria-pressed=${failing ? 'false' : 'true'} onClick=${() => setFailing(false)}>${t('inbox.with_output')}</button>
      <button type="button" class="chip" aria-pressed=${failing ? 'true' : 'false'} onClick=${() => setFailing(true)}>${t('inbox.with_error')}</button>
    </div>
    ${error && ![409, 410].includes(error.status) && html`<${ErrorBox} error=${error} />`}
    ${failing
      ? html`<${Failing} busy=${busy} onAnswer=${onAnswer} />`
      : html`<${CallbackForm} contract=${wait.contract || {}} busy=${busy} errors=${error ? error.errors : []} onAnswer=${(output) => onAnswer({ output })} />`}
    <p class="soft small">${t('inbox.once')}</p>
  `;
}

function Failing({ busy, onAnswer }) {
  const [code, setCode] = useState('');
  const [message, setMessage] = useState('');
  const id = useId();
  const send = (event) => {
    event.preventDefault();
    onAnswer({ error: { code: code.trim(), message: message.trim() } });
  };
  return html`
    <form class="decision" onSubmit=${send}>
      <div class="field">
        <label for=${`${id}-code`}>${t('inbox.code')}</label>
        <input id=${`${id}-code`} required pattern="[A-Za-z0-9_][A-Za-z0-9_.:\\-]*" maxlength="100" value=${code} aria-describedby=${`${id}-how`} onInput=${(event) => setCode(event.target.value)} />
        <p class="soft small" id=${`${id}-how`}>${t('inbox.code.how')}</p>
      </div>
      <div class="field">
        <label for=${`${id}-message`}>${t('inbox.message')}</label>
        <textarea id=${`${id}-message`} rows="3" maxlength="2000" value=${message} onInput=${(event) => setMessage(event.target.value)}></textarea>
      </div>
      <div class="actions"><button type="submit" class="danger" disabled=${busy}>${t('inbox.fail')}</button></div>
    </form>
  `;
}

function Answered({ wait }) {
  const omitted = wait.omitted || {};
  return html`
    <h2>${t(`inbox.answered.${wait.status}`)}</h2>
    ${wait.error && html`<div class="notice bad"><div><p class="strong"><code>${wait.error.code}</code></p><p>${wait.error.message}</p></div></div>`}
    ${(wait.output || omitted.output) && html`<${Json} value=${wait.output} label=${t('run.output')} omitted=${omitted.output} />`}
    ${!wait.error && !wait.output && !omitted.output && html`<p class="soft">${t('inbox.nobody')}</p>`}
  `;
}

// One approval: what is asked, and the form that decides it. Only the form does, never coming here.
import { path, post } from '../api.js';
import { useAction, useApi } from '../asking.js';
import { html, useEffect, useId, useRef, useState } from '../lib.js';
import { ErrorBox } from '../parts/error.js';
import { Icon } from '../parts/icon.js';
import { Json } from '../parts/json.js';
import { Page } from '../parts/page.js';
import { Time } from '../parts/time.js';
import { Asked, remember, remembered, Stands } from '../parts/wait.js';
import { say } from '../shell.js';
import { t } from '../text.js';

export default function Approval({ params }) {
  const { data, error, loading, reload, set } = useApi(path`/approvals/${params.id}`);
  const crumbs = [[t('nav.inbox'), '#/inbox']];
  if (!data) {
    return html`<${Page} title=${t('inbox.approval')} crumbs=${crumbs}>
      ${error ? html`<${ErrorBox} error=${error} retry=${reload} />` : loading && html`<p class="loading" role="status">${t('shell.loading')}</p>`}
    <//>`;
  }
  return html`<${Page} title=${t('inbox.approval_of', { node: data.nodeId })} crumbs=${crumbs}><${Whole} wait=${data} set=${set} reload=${reload} /><//>`;
}

function Whole({ wait, set }) {
  const { busy, error, act } = useAction();
  const decide = async (body) => {
    const decided = await act(async (signal) => {
      try {
        return await post(path`/approvals/${wait.id}`, { body, signal });
      } catch (fault) {
        if (fault.body && fault.body.approval) set(fault.body.approval);
        throw fault;
      }
    });
    if (!decided) return;
    set(decided);
    say(t(`inbox.said.${decided.status}`));
  };
  const standing = wait.status !== 'pending';
  return html`
    <div class="columns">
      <section class="card">
        <h2>${t('inbox.question')}</h2>
        ${wait.omitted && wait.omitted.summary ? html`<${Json} omitted=${wait.omitted.summary} />` : html`<p class="said summary">${wait.summary}</p>`}
        <${Asked} wait=${wait}><dt>${t('inbox.approvers')}</dt><dd>${wait.approvers ? wait.approvers.join(', ') : t('inbox.anyone')}</dd><//>
      </section>
      <section class="card">
        <${Stands} error=${error} />
        ${error && ![409, 410].includes(error.status) && html`<${ErrorBox} error=${error} />`}
        ${standing ? html`<${Decided} wait=${wait} />` : html`<${Form} wait=${wait} busy=${busy} onDecide=${decide} />`}
      </section>
    </div>
  `;
}

function Form({ wait, busy, onDecide }) {
  const [by, setBy] = useState(wait.approvers ? wait.approvers.find((each) => each === remembered()) || '' : remembered());
  const [comment, setComment] = useState('');
  const [missing, setMissing] = useState(false);
  const id = useId();
  const field = useRef(null);
  const decide = (decision) => {
    const who = by.trim();
    setMissing(!who);
    if (!who) return field.current.focus();
    remember(who);
    return onDecide({ decision, by: who, ...(comment.trim() ? { comment: comment.trim() } : {}) });
  };
  const wrong = { 'aria-invalid': missing ? 'true' : null, 'aria-describedby': missing ? `${id}-missing` : `${id}-claim` };
  return html`
    <form class="decision" onSubmit=${(event) => event.preventDefault()} aria-labelledby=${`${id}-title`}>
      <h2 id=${`${id}-title`}>${t('inbox.decide')}</h2>
      <div class="field">
        <label for=${`${id}-by`}>${t('inbox.who')}</label>
        ${wait.approvers
          ? html`<select id=${`${id}-by`} ref=${field} value=${by} ...${wrong} onChange=${(event) => setBy(event.target.value)}>
              <option value="">${t('inbox.choose')}</option>
              ${wait.approvers.map((each) => html`<option key=${each} value=${each} selected=${each === by}>${each}</option>`)}
            </select>`
          : html`<input id=${`${id}-by`} ref=${field} value=${by} maxlength="256" autocomplete="name" ...${wrong} onInput=${(event) => setBy(event.target.value)} />`}
        ${missing && html`<p class="fault small" id=${`${id}-missing`} role="alert">${t('inbox.who_missing')}</p>`}
        <p class="soft small" id=${`${id}-claim`}>${t('inbox.claim')}</p>
      </div>
      <div class="field">
        <label for=${`${id}-comment`}>${t('inbox.comment')}</label>
        <textarea id=${`${id}-comment`} rows="4" maxlength="10000" value=${comment} onInput=${(event) => setComment(event.target.value)}></textarea>
      </div>
      <div class="actions">
        <button type="button" class="main" disabled=${busy} onClick=${() => decide('approved')}><${Icon} name="check" />${t('inbox.approve')}</button>
        <button type="button" class="danger" disabled=${busy} onClick=${() => decide('rejected')}><${Icon} name="cross" />${t('inbox.reject')}</button>
      </div>
      <p class="soft small">${t('inbox.once')}</p>
    </form>
  `;
}

function Decided({ wait }) {
  const head = useRef(null);
  useEffect(() => {
    if (document.activeElement === document.body) head.current.focus();
  }, [wait.status]);
  return html`
    <h2 ref=${head} tabindex="-1">${t(`inbox.said.${wait.status}`)}</h2>
    ${wait.decidedBy &&
    html`<dl class="facts">
      <dt>${t('inbox.who_did')}</dt><dd>${wait.decidedBy}${wait.claimed && html` <span class="soft">(${t('inbox.claimed')})</span>`}</dd>
      <dt>${t('inbox.when')}</dt><dd><${Time} at=${wait.decidedAt} /></dd>
      ${wait.comment && html`<dt>${t('inbox.comment')}</dt><dd class="said">${wait.comment}</dd>`}
    </dl>`}
    ${!wait.decidedBy && html`<p class="soft">${t('inbox.nobody')}</p>`}
  `;
}

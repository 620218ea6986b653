// What approvals and callbacks have in common: where they come from, until when they can be answered, what stands.
import { html, useEffect, useState } from '../lib.js';
import { href } from '../router.js';
import { t } from '../text.js';
import { Id } from './copy.js';
import { Icon } from './icon.js';
import { Status } from './status.js';
import { moment, span, Time } from './time.js';

const WHO = 'loopstep.by';

/** The name with which one decided last in this browser. */
export const remembered = () => localStorage.getItem(WHO) || '';
export const remember = (who) => localStorage.setItem(WHO, who);

/** How long there still is; the moment for the pointer. */
export function Left({ until }) {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  const left = Date.parse(until) - now;
  return html`<time datetime=${until} title=${moment(until)} class="nums">${left > 0 ? span(Math.ceil(left / 1000) * 1000) : t('inbox.due')}</time>`;
}

/** What was asked: of whom, by which run, until when. */
export function Asked({ wait, children }) {
  return html`
    <dl class="facts">
      <dt>${t('runs.status')}</dt><dd data-wait-status=${wait.status}><${Status} status=${wait.status} /></dd>
      <dt>${t('inbox.run')}</dt>
      <dd><a href=${href('/runs/:run', { run: wait.runId }, { at: wait.activationId })}>${t('inbox.run_of', { plan: wait.plan, node: wait.nodeId })}</a></dd>
      <dt>${t('inbox.plan')}</dt><dd><a href=${href('/plans/:name', { name: wait.plan }, { version: wait.version })}>${wait.plan} v${wait.version}</a></dd>
      <dt>${t('inbox.scope')}</dt><dd><code>${wait.scope}</code></dd>
      <dt>${t('inbox.asked')}</dt><dd><${Time} at=${wait.askedAt} /></dd>
      <dt>${t('inbox.until')}</dt><dd><${Time} at=${wait.deadline} />${wait.status === 'pending' && html` <span class="soft">(<${Left} until=${wait.deadline} />)</span>`}</dd>
      ${children}
      <dt>${t('inbox.id')}</dt><dd><${Id} text=${wait.id} what=${t('inbox.id')} /></dd>
    </dl>
  `;
}

/** That somebody was quicker, or that it is over: the answer that stands is what the page then shows. */
export function Stands({ error }) {
  if (!error || ![409, 410].includes(error.status)) return null;
  return html`
    <div class="notice info" role="alert" data-part="stands">
      <${Icon} name="info" />
      <div><p class="strong">${t(error.status === 409 ? 'inbox.stands' : 'inbox.over')}</p><p>${error.message} <code class="soft">${error.code}</code></p></div>
    </div>
  `;
}

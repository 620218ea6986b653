// Cancel and redrive: asked about first, and what the API says to them.
import { path, post } from '../api.js';
import { useAction } from '../asking.js';
import { html, useState } from '../lib.js';
import { say } from '../shell.js';
import { t } from '../text.js';
import { Confirm } from './confirm.js';
import { Icon } from './icon.js';

const CAN = { cancel: ['created', 'running'], redrive: ['failed', 'timed_out'] };

export function RunActions({ run, onDone }) {
  const [asking, setAsking] = useState(null);
  const { busy, error, act, clear } = useAction();
  const leave = () => (setAsking(null), clear());
  const go = async () => {
    const done = await act((signal) => post(path`/runs/${run.runId}/` + asking, { signal }));
    if (!done) return;
    say(t(`run.${asking}.done`));
    leave();
    onDone();
  };
  return html`
    ${CAN.cancel.includes(run.status) && html`<button type="button" onClick=${() => setAsking('cancel')}><${Icon} name="stop" />${t('run.cancel')}</button>`}
    ${CAN.redrive.includes(run.status) && html`<button type="button" class="main" onClick=${() => setAsking('redrive')}><${Icon} name="redo" />${t('run.redrive')}</button>`}
    ${asking &&
    html`<${Confirm}
      title=${t(`run.${asking}.ask`)}
      yes=${t(`run.${asking}`)}
      danger=${asking === 'cancel'}
      busy=${busy}
      error=${error}
      onYes=${go}
      onNo=${leave}
    >
      <p>${t(`run.${asking}.means`)}</p>
      <p class="soft"><code>${run.runId}</code></p>
    <//>`}
  `;
}

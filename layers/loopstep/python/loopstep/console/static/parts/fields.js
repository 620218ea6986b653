// The fields of a contract as a form. `errors`: [{path, message}], shown at the field that the pointer names.
import { draftOf, formOf, pointer } from '../form.js';
import { html, useId } from '../lib.js';
import { has, t } from '../text.js';
import { more, presence, typeOf } from './contract.js';
import { Icon } from './icon.js';

export function Fields({ fields, drafts, onChange, path = '', errors = [] }) {
  return Object.entries(fields).map(
    ([name, schema]) => html`
      <${Field}
        key=${name}
        name=${name}
        schema=${schema}
        draft=${drafts[name]}
        path=${`${path}/${pointer(name)}`}
        errors=${errors}
        onChange=${(draft) => onChange({ ...drafts, [name]: draft })}
      />
    `,
  );
}

function Field({ name, schema, draft, path, errors, onChange }) {
  const form = formOf(schema);
  if (form === 'group') return html`<${Group} ...${{ name, schema, draft, path, errors, onChange }} />`;
  if (form === 'list') return html`<${List} ...${{ name, schema, draft, path, errors, onChange }} />`;
  return html`<${Single} ...${{ name, schema, draft, path, errors, onChange, form }} />`;
}

function Need({ schema }) {
  return html`<span class="need">${typeOf(schema)}, ${presence(schema)}</span>`;
}

function Single({ name, schema, draft, path, errors, onChange, form }) {
  const id = useId();
  const wrong = errors.filter((each) => each.path === path || each.path.startsWith(`${path}/`));
  const limits = schema.enum ? '' : more({ ...schema, secret: false });
  const about = [limits && `${id}-limits`, wrong.length && `${id}-wrong`].filter(Boolean).join(' ') || null;
  const common = {
    id,
    name: path,
    required: false,
    'aria-required': schema.required && !('default' in schema) ? 'true' : null,
    'aria-invalid': wrong.length ? 'true' : null,
    'aria-describedby': about,
    autocomplete: 'off',
  };
  return html`
    <div class="field">
      <label for=${id}>${name}<${Need} schema=${schema} /></label>
      <${Control} ...${{ form, schema, draft, common, onChange }} />
      ${limits && html`<p class="soft small" id=${`${id}-limits`}>${limits}</p>`}
      ${wrong.length > 0 && html`<p class="fault small" id=${`${id}-wrong`}>${wrong.map((each) => (has(each.message) ? t(each.message) : each.message)).join(' ')}</p>`}
    </div>
  `;
}

const EXAMPLES = { duration: 'PT30S', scope: 'team/support', filePath: 'docs/report.md', directoryPath: 'docs' };

function Control({ form, schema, draft, common, onChange }) {
  const typed = (event) => onChange(event.target.value);
  if (form === 'choice' || form === 'flag') {
    const options = form === 'flag' ? [['true', t('yes')], ['false', t('no')]] : schema.enum.map((each) => [JSON.stringify(each), typeof each === 'string' ? each : JSON.stringify(each)]);
    return html`
      <select ...${common} value=${draft} onChange=${typed}>
        <option value="" selected=${draft === ''}>${t('form.none')}</option>
        ${options.map(([value, text]) => html`<option key=${value} value=${value} selected=${value === draft}>${text}</option>`)}
      </select>
    `;
  }
  if (form === 'json') return html`<textarea ...${common} class="mono" rows="4" spellcheck=${false} placeholder=${t('form.json.here')} value=${draft} onInput=${typed}></textarea>`;
  if (schema.secret) return html`<input ...${common} autocomplete="new-password" type="password" value=${draft} onInput=${typed} />`;
  if (form === 'number') return html`<input ...${common} type="text" inputmode="decimal" value=${draft} onInput=${typed} />`;
  if (form === 'moment') return html`<input ...${common} type="datetime-local" step="1" value=${draft} onInput=${typed} />`;
  if (schema.type === 'string' && !(schema.maxLength <= 200)) return html`<textarea ...${common} class="grows" rows="1" value=${draft} onInput=${typed}></textarea>`;
  return html`<input ...${common} type="text" placeholder=${EXAMPLES[schema.type] || ''} value=${draft} onInput=${typed} />`;
}

function Group({ name, schema, draft, path, errors, onChange }) {
  const own = errors.filter((each) => each.path === path);
  return html`
    <fieldset>
      <legend>${name}<${Need} schema=${schema} /></legend>
      ${!schema.required &&
      html`<label class="check"><input type="checkbox" checked=${draft.given} onChange=${(event) => onChange({ ...draft, given: event.target.checked })} /> ${t('form.given', { name })}</label>`}
      ${draft.given && html`<${Fields} fields=${schema.properties} drafts=${draft.fields} path=${path} errors=${errors} onChange=${(fields) => onChange({ ...draft, fields })} />`}
      <${Wrong} errors=${own} />
    </fieldset>
  `;
}

function List({ name, schema, draft, path, errors, onChange }) {
  const own = errors.filter((each) => each.path === path);
  const change = (index, each) => onChange(draft.map((old, at) => (at === index ? each : old)));
  const fresh = { ...schema.items, required: true };
  return html`
    <fieldset>
      <legend>${name}<${Need} schema=${schema} /></legend>
      ${more(schema) && html`<p class="soft small">${more(schema)}</p>`}
      ${draft.map(
        (each, index) => html`
          <div class="entry" key=${index}>
            <${Field} name=${t('form.number.of', { number: index + 1 })} schema=${fresh} draft=${each} path=${`${path}/${index}`} errors=${errors} onChange=${(made) => change(index, made)} />
            <button type="button" class="quiet icon-button" aria-label=${t('form.remove', { name, number: index + 1 })} title=${t('form.remove', { name, number: index + 1 })} onClick=${() => onChange(draft.filter((_, at) => at !== index))}><${Icon} name="cross" size=${14} /></button>
          </div>
        `,
      )}
      <div><button type="button" onClick=${() => onChange([...draft, draftOf(fresh)])}><${Icon} name="plus" size=${14} />${t('form.add', { name })}</button></div>
      <${Wrong} errors=${own} />
    </fieldset>
  `;
}

function Wrong({ errors }) {
  if (!errors.length) return null;
  return html`<p class="fault small">${errors.map((each) => (has(each.message) ? t(each.message) : each.message)).join(' ')}</p>`;
}

// A text field with line numbers beside it, and marks at the lines that something is said about.
import { html, useEffect, useRef } from '../lib.js';
import { t } from '../text.js';

const LINE = 20; // pixels, as the style sheet has it
const TOP = 8;

/** `marks`: {line: 'error' | 'warning'}; `jump`: {line, column} moves the caret there; `about`: the id of what is said. */
export function Editor({ text, onChange, marks, jump, label, about }) {
  const field = useRef(null);
  const gutter = useRef(null);
  const scrolled = () => {
    gutter.current.scrollTop = field.current.scrollTop;
  };
  useEffect(() => {
    if (!jump) return;
    const own = field.current;
    const lines = own.value.split('\n');
    const before = lines.slice(0, jump.line - 1).reduce((sum, line) => sum + line.length + 1, 0);
    // columns count code points
    const at = before + [...(lines[jump.line - 1] || '')].slice(0, jump.column - 1).join('').length;
    own.focus();
    own.setSelectionRange(at, at);
    own.scrollTop = Math.max(0, TOP + (jump.line - 1) * LINE - own.clientHeight / 3);
    scrolled();
  }, [jump]);
  const keys = (event) => {
    // Tab leaves the field, as everywhere; two blanks are typed by hand or with Ctrl+]
    if (event.key !== ']' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    field.current.setRangeText('  ', field.current.selectionStart, field.current.selectionEnd, 'end');
    onChange(field.current.value);
  };
  const count = text.split('\n').length;
  return html`
    <div class="editor">
      <div class="gutter" ref=${gutter} aria-hidden="true">
        ${Array.from({ length: count }, (_, index) => html`<div key=${index} class=${marks[index + 1] || null}>${marks[index + 1] ? (marks[index + 1] === 'error' ? '✕ ' : '! ') : ''}${index + 1}</div>`)}
        <div></div>
      </div>
      <textarea
        ref=${field}
        aria-label=${label}
        aria-describedby=${about}
        title=${t('edit.field')}
        spellcheck=${false}
        autocapitalize="off"
        autocomplete="off"
        wrap="off"
        value=${text}
        onInput=${(event) => onChange(event.target.value)}
        onScroll=${scrolled}
        onKeyDown=${keys}
      ></textarea>
    </div>
  `;
}

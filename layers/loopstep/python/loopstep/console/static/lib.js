// The one place from which the console takes preact, its hooks and htm.
import { Fragment, createContext, h, render } from './vendor/preact.module.js';
import htm from './vendor/htm.module.js';

export {
  useCallback,
  useContext,
  useEffect,
  useErrorBoundary,
  useId,
  useLayoutEffect,
  useMemo,
  useReducer,
  useRef,
  useState,
} from './vendor/hooks.module.js';
export { Fragment, createContext, h, render };

/** Templates: html`<p class="x">${text}</p>`. What is put in is text, never markup. */
export const html = htm.bind(h);

/** Class names that hold: cx('row', open && 'open'). */
export const cx = (...names) => names.filter(Boolean).join(' ');

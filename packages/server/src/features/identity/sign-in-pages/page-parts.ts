import { escapeHtml } from '../../../http/answers/page.ts';
import type { FormField, refusalOf } from './page-messages.ts';

/** Pieces of which the pages are made. All texts are escaped here. */

interface FormInput {
  /** Default: its name. A page with two fields with the same name needs it. */
  readonly id?: string;
  readonly name: Exclude<FormField, null>;
  readonly label: string;
  readonly help?: string;
  readonly type?: 'text' | 'email' | 'password';
  /** What browsers and password managers fill in. */
  readonly autocomplete: string;
  readonly value?: string;
  readonly maxLength?: number;
  readonly minLength?: number;
  readonly isOptional?: boolean;
  readonly inputMode?: 'numeric' | 'text';
  readonly isFirst?: boolean;
}

type RefusedForm = ReturnType<typeof refusalOf>;

/** A field with its label above, and its error below, linked to it. A rejected field gets the focus. */
export function field(input: FormInput, refused: RefusedForm): string {
  const {
    name,
    id = name,
    label,
    help,
    type = 'text',
    autocomplete,
    value = '',
    isOptional = false,
    isFirst = false,
  } = input;
  const isRefused = refused?.field === name;
  const described = [...(help === undefined ? [] : [`${id}-help`]), ...(isRefused ? [`${id}-error`] : [])];
  const attributes = [
    `id="${id}" name="${name}" type="${type}" autocomplete="${autocomplete}"`,
    value === '' ? '' : `value="${escapeHtml(value)}"`,
    input.maxLength === undefined ? '' : `maxlength="${input.maxLength}"`,
    input.minLength === undefined ? '' : `minlength="${input.minLength}"`,
    input.inputMode === undefined ? '' : `inputmode="${input.inputMode}"`,
    name === 'code' || type === 'email' ? 'autocapitalize="none" spellcheck="false"' : '',
    isOptional ? '' : 'required',
    described.length === 0 ? '' : `aria-describedby="${described.join(' ')}"`,
    isRefused ? 'aria-invalid="true"' : '',
    isRefused || (isFirst && (refused?.field ?? null) === null) ? 'autofocus' : '',
  ];
  return (
    `<div class="field"><label for="${id}">${escapeHtml(label)}${isOptional ? ' (optional)' : ''}</label>` +
    `${help === undefined ? '' : `<p class="help" id="${id}-help">${escapeHtml(help)}</p>`}` +
    `<input ${attributes.filter((each) => each !== '').join(' ')}>` +
    `${isRefused ? `<p class="error" id="${id}-error">${escapeHtml(refused.text)}</p>` : ''}</div>`
  );
}

/** An email field; `own` has its special properties. */
export const emailField = (refused: RefusedForm, own: Partial<Omit<FormInput, 'name' | 'type'>>): string =>
  field({ name: 'email', label: 'Email', autocomplete: 'username', maxLength: 255, ...own, type: 'email' }, refused);

export const hidden = (name: string, value: string | undefined): string =>
  value === undefined || value === '' ? '' : `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`;

/** The error at the top, unless a field shows it. */
export function refusedNote(refused: RefusedForm): string {
  return refused === null || refused.field !== null
    ? ''
    : `<div class="note bad" role="alert"><p>${escapeHtml(refused.text)}</p></div>`;
}

export const goodNote = (text: string): string =>
  `<div class="note good" role="status"><p>${escapeHtml(text)}</p></div>`;

export function form(action: string, content: string, button: string, kind: '' | 'other' = ''): string {
  const look = kind === '' ? '' : ` class="${kind}"`;
  return `<form method="post" action="${escapeHtml(action)}">${content}<button type="submit"${look}>${escapeHtml(button)}</button></form>`;
}

/** The fields of a password that is to be set. */
export function newPasswordFields(refused: RefusedForm, isFirst: boolean): string {
  return (
    field(
      {
        name: 'password',
        label: 'New password',
        help: 'At least 8 characters, with an uppercase letter and a digit.',
        type: 'password',
        autocomplete: 'new-password',
        minLength: 8,
        maxLength: 128,
        isFirst,
      },
      refused,
    ) +
    field(
      {
        name: 'repeated',
        label: 'Repeat password',
        type: 'password',
        autocomplete: 'new-password',
        maxLength: 128,
      },
      refused,
    )
  );
}

/** The link back, below. */
export const toSignIn = (base: string): string =>
  `<p class="more"><a href="${escapeHtml(base)}/login">Back to sign-in</a></p>`;

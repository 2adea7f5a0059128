/** Texts of forms generated from operation schemas. */
export const formTexts = {
  notANumber: 'Enter a number.',
  notWhole: 'Enter a whole number.',
  notJson: "This isn't valid JSON. Check quotes, commas and brackets.",
  required: 'This field is required.',
  notSet: 'Not set',
  yes: 'Yes',
  no: 'No',
  onePerLine: 'One per line.',
  instant: 'Include the time zone: 2026-01-31T12:00:00Z.',
  summary: (count: number) => (count === 1 ? '1 field needs attention' : `${count} fields need attention`),
  save: 'Save',
  discard: 'Discard',
  changed: (count: number) => (count === 1 ? '1 field changed' : `${count} fields changed`),
} as const;

const number = (params: object, name: string): string => String(Reflect.get(params, name) ?? '');

/** Returns the message for a failed schema keyword. */
export function findingText(keyword: string, params: object, otherwise: string): string {
  const limit = number(params, 'limit');
  switch (keyword) {
    case 'required':
      return formTexts.required;
    case 'minLength':
      return limit === '1' ? formTexts.required : `Enter at least ${limit} characters.`;
    case 'maxLength':
      return `Enter at most ${limit} characters.`;
    case 'minimum':
      return `Must be at least ${limit}.`;
    case 'maximum':
      return `Must be at most ${limit}.`;
    case 'exclusiveMinimum':
      return `Must be greater than ${limit}.`;
    case 'exclusiveMaximum':
      return `Must be less than ${limit}.`;
    case 'minItems':
      return `Add at least ${limit}.`;
    case 'maxItems':
      return `Add at most ${limit}.`;
    case 'uniqueItems':
      return 'Remove duplicates.';
    case 'enum':
    case 'const':
      return 'Choose an option from the list.';
    case 'pattern':
      return number(params, 'pattern') === '\\S' ? formTexts.required : `Must match ${number(params, 'pattern')}.`;
    case 'format':
      return `Must be a valid ${number(params, 'format')}.`;
    default:
      return `${otherwise.charAt(0).toUpperCase()}${otherwise.slice(1)}.`;
  }
}

/** Texts of the record picker. */
export const pickTexts = {
  any: 'Any (type a name)',
  searching: 'Searching',
  found: 'No matches.',
  failed: 'The search failed. Type again to retry.',
} as const;

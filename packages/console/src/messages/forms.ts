/** Texts of forms that are made from the schemas of operations. */
export const formTexts = {
  notANumber: 'Write a number.',
  notWhole: 'Write a whole number.',
  notJson: 'This is not JSON. Check quotes, commas and brackets.',
  required: 'This is needed.',
  notSet: 'Not set',
  yes: 'Yes',
  no: 'No',
  onePerLine: 'One per line.',
  instant: 'With its zone: 2026-01-31T12:00:00Z.',
  summary: (count: number) => (count === 1 ? 'One field does not fit' : `${count} fields do not fit`),
  save: 'Save',
  discard: 'Discard',
  changed: (count: number) => (count === 1 ? 'One field changed' : `${count} fields changed`),
} as const;

const number = (params: object, name: string): string => String(Reflect.get(params, name) ?? '');

/** A finding of a schema in words, by its keyword. */
export function findingText(keyword: string, params: object, otherwise: string): string {
  const limit = number(params, 'limit');
  switch (keyword) {
    case 'required':
      return formTexts.required;
    case 'minLength':
      return limit === '1' ? formTexts.required : `Write at least ${limit} characters.`;
    case 'maxLength':
      return `Write at most ${limit} characters.`;
    case 'minimum':
      return `It must be at least ${limit}.`;
    case 'maximum':
      return `It must be at most ${limit}.`;
    case 'exclusiveMinimum':
      return `It must be more than ${limit}.`;
    case 'exclusiveMaximum':
      return `It must be less than ${limit}.`;
    case 'minItems':
      return `Name at least ${limit}.`;
    case 'maxItems':
      return `Name at most ${limit}.`;
    case 'uniqueItems':
      return 'Each may be named once.';
    case 'enum':
    case 'const':
      return 'Choose one of the list.';
    case 'pattern':
      return number(params, 'pattern') === '\\S' ? formTexts.required : `It must match ${number(params, 'pattern')}.`;
    case 'format':
      return `It must be written as ${number(params, 'format')}.`;
    default:
      return `${otherwise.charAt(0).toUpperCase()}${otherwise.slice(1)}.`;
  }
}

/** Texts of the field that chooses one of many records. */
export const pickTexts = {
  any: 'Any: type a name',
  searching: 'Searching',
  found: 'Nothing is called so.',
  failed: 'It could not be searched. Type again to try again.',
} as const;

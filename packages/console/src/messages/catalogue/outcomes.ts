import { catalogueTitles as titles } from './catalogue-titles.ts';

export const outcomeTexts = {
  outcomes: titles.outcomes,
  lead: 'What can happen after an offer is shown. Your application reports outcomes by their key.',
  empty: 'No outcome types yet',
  emptyText: 'Create one for each thing customers do with an offer.',
  classification: 'Counts as',
  classifications: { positive: 'positive', negative: 'negative', neutral: 'neutral' },
  category: 'Kind',
  categories: { impression: 'impression', response: 'response' },
  conversion: 'Conversion',
  yes: 'yes',
  no: 'no',
  builtIn: 'built in',
  builtInColumn: 'Built in',
  anyClassification: 'Any effect',
  builtInText: "This outcome type is built in. It can't be changed or deleted.",
  basics: 'Details',
  send: 'Report it from your application',
  sendText: "Send this after the customer reacts. The recommendation ID is in the decision's response.",
  snippet: 'request',
  presets: { purchase: 'Purchase', interest: 'Interest', refusal: 'Refusal' },
  formBasics: 'Basics',
  formMeaning: 'Meaning',
  fixedKey: "The key can't be changed.",
  statuses: { active: 'Active', inactive: 'Inactive' },
  formClassifications: { positive: 'Positive', negative: 'Negative', neutral: 'Neutral' },
  formCategories: { impression: 'Impression: about the display', response: 'Response: what the customer did' },
  labels: {
    '/classification': 'Counts as',
    '/category': 'Kind',
    '/isConversion': 'It is a conversion',
    '/ordinal': 'Position in lists',
  },
  help: {
    '/name': '',
    '/description': '',
    '/key': 'Your application sends it. Lowercase letters, digits and underscores.',
    '/classification': 'How it counts for the offer.',
    '/category': '',
    '/isConversion': 'Only positive outcomes can be conversions.',
    '/status': 'New outcomes are accepted for active types only.',
    '/ordinal': '',
  },
} as const;

/** The call that reports an outcome, for a shell. */
export const respondSnippet = (address: string, key: string): string =>
  `curl -X POST ${address}/api/v1/respond \\
  -H 'Authorization: Bearer <API key>' -H 'Content-Type: application/json' \\
  -d '{"recommendationId": "<recommendation ID>", "rank": 1, "outcome": "${key}"}'`;

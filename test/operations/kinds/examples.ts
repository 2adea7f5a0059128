import type { Example } from '../examples.ts';

/** One example per operation of the test contract, see ../examples.ts. */
export const kindExamples: Readonly<Record<string, Example>> = {
  'kinds.session': async () => ({ body: { word: 'hello' } }),
  'kinds.scim': async () => ({ body: { word: 'hello' } }),
  'kinds.cron': async () => ({}),
  'kinds.webhook': async () => ({ body: { any: 'thing' } }),
  'kinds.token': async () => ({ body: { word: 'hello', times: 2 } }),
  'kinds.form': async () => ({ body: { word: 'hello', times: '2', loud: 'true' } }),
  'kinds.upload': async () => ({ body: { word: 'hello', file: 'some bytes' } }),
  'kinds.file': async () => ({ params: { format: 'csv' } }),
  'kinds.events': async () => ({ query: { forever: 'false' } }),
  'kinds.jsonOrEvents': async () => ({}),
  'kinds.offsetList': async () => ({ query: { limit: '2', offset: '1' } }),
  'kinds.plainList': async () => ({ query: { limit: '3' } }),
};

import { compileTemplate, emptyScope, type SnapshotCreative } from '@arbiter/engine';
import type { RenderAnswer, RenderRequest } from './render-message.ts';

/** A token that has a name already. */
const isEntry = ({ variable }: { readonly variable?: unknown }): boolean =>
  typeof variable === 'string' && variable !== '';

/** Renders creatives with the engine's own template code, so that a preview has the words that decisions deliver. */
globalThis.addEventListener('message', ({ data }: MessageEvent<RenderRequest>) => {
  const { id, creative, customer, offer } = data;
  // The form's values are JSON, as the engine's.
  const { content, personalization, templateType } = creative as Pick<
    SnapshotCreative,
    'content' | 'personalization' | 'templateType'
  >;
  const template = compileTemplate(content, personalization.filter(isEntry), templateType);
  const scope = { ...emptyScope(), customer, offer };
  const answer: RenderAnswer = {
    id,
    content: template.render(scope, {}),
    missing: template.missing(scope, {}),
  };
  globalThis.postMessage(answer);
});

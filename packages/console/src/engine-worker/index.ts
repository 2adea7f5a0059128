import type { RenderAnswer, RenderRequest } from './render-message.ts';
import workerUrl from './render-worker.ts?worker&url';
import { workerClient } from './worker-client.ts';

export type { CreativeTexts } from './render-message.ts';

export type Rendered = Omit<RenderAnswer, 'id'>;

/** Renders a creative for a customer as the engine does. */
export const renderCreative: (request: Omit<RenderRequest, 'id'>) => Promise<Rendered> = workerClient<
  RenderRequest,
  RenderAnswer
>(workerUrl);

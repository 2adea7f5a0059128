import { ModelError } from './language-model.ts';

/** Longest answer in bytes: a narrative has a few thousand. */
const maxBytes = 1024 * 1024;

/** `fetch` for the providers' SDKs: follows no redirect, which would carry the API key along, and cuts endless answers. */
export const limitedFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, { ...init, redirect: 'error' });
  if (response.body === null) return response;
  let bytes = 0;
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes > maxBytes) controller.error(new ModelError('too_long'));
      else controller.enqueue(chunk);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(counted), { status, statusText, headers });
};

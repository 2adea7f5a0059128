/** An event of an event stream. */
export interface ResponseEvent {
  /** Position of the event, where the stream has positions. */
  readonly id: string | null;
  readonly event: string;
  readonly data: unknown;
}

/** Reads server-sent events whose data is JSON (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
export async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<ResponseEvent> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
      const event = eventOf(text.slice(0, end));
      text = text.slice(end + 2);
      if (event !== null) yield event;
    }
  }
}

/** Returns null for a comment. */
function eventOf(block: string): ResponseEvent | null {
  const lines = block.split('\n');
  const textOf = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
  const data = textOf('data');
  if (data === undefined) return null;
  return { id: textOf('id') ?? null, event: textOf('event') ?? 'message', data: JSON.parse(data) };
}

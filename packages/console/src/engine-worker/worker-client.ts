interface Policy {
  readonly createScriptURL: (url: string) => string;
}

interface PolicyFactory {
  readonly createPolicy: (name: string, rules: Policy) => Policy;
}

let policy: Policy | null = null;

/** The page's policy only lets a script of a named policy become a worker. Browsers without it take the address as it is. */
function workerAddress(url: string): string {
  const factory = Reflect.get(globalThis, 'trustedTypes') as PolicyFactory | undefined;
  if (factory === undefined) return url;
  policy ??= factory.createPolicy('arbiter', { createScriptURL: (own) => own });
  return policy.createScriptURL(url);
}

/** Returns a function that calls a worker. The first call starts it. Responses carry the ID of their request. */
export function workerClient<Request extends { readonly id: number }, Answer extends { readonly id: number }>(
  url: string,
): (request: Omit<Request, 'id'>) => Promise<Answer> {
  let worker: Worker | null = null;
  let last = 0;
  const waiting = new Map<number, (answer: Answer) => void>();
  const start = (): Worker => {
    const started = new Worker(workerAddress(url), { type: 'module' });
    started.addEventListener('message', ({ data }: MessageEvent<Answer>) => {
      waiting.get(data.id)?.(data);
      waiting.delete(data.id);
    });
    return started;
  };
  return (request) => {
    last += 1;
    const id = last;
    return new Promise((resolve) => {
      waiting.set(id, resolve);
      worker ??= start();
      worker.postMessage({ ...request, id });
    });
  };
}

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { DecisionInput } from '@arbiter/engine';
import type { CaseIds } from './case-ids.ts';

type Answers = NonNullable<DecisionInput['external']>;

/** An address that responds as the cases say webhooks do. */
export interface Webhooks {
  /** `external`: the answers of the case, by path of the node; one that is an error, and one that is missing, is answered 500. */
  urlOf(tenantId: string, nodeId: string, external: Answers, ids: CaseIds): string;
  close(): Promise<void>;
}

export async function startWebhooks(): Promise<Webhooks> {
  const bodies = new Map<string, () => object | null>();
  const peer = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      const body = bodies.get(request.url ?? '')?.() ?? null;
      if (body === null) response.statusCode = 500;
      response.end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => peer.listen(0, '127.0.0.1', resolve));
  const { port } = peer.address() as AddressInfo;
  return {
    urlOf(tenantId, nodeId, external, ids) {
      const path = `/${tenantId}/${nodeId}`;
      // Nodes of called flows are below the path of the call. No case has two nodes with the same name.
      const [, answer] = Object.entries(external).find(([node]) => node.split('/').at(-1) === nodeId) ?? [];
      bodies.set(path, () => (answer === undefined || 'error' in answer ? null : answerOf(answer.candidates, ids)));
      return `http://127.0.0.1:${port}${path}`;
    },
    async close() {
      peer.closeAllConnections();
      await new Promise<void>((resolve) => peer.close(() => resolve()));
    },
  };
}

/** A null in an input wasn't part of the response. */
function answerOf(candidates: Extract<Answers[string], { readonly candidates: unknown }>['candidates'], ids: CaseIds) {
  return {
    candidates: candidates.map(({ offerId, score, drop }) => ({
      offerId: ids.of('offer', offerId),
      ...(score === null ? {} : { score }),
      ...(drop ? { drop } : {}),
    })),
  };
}

import type { whyNotOperations } from '@arbiter/contract';
import { type Handlers, reply } from '../../../http/handler.ts';
import { invalid } from '../../../platform/app-error.ts';
import { askWhyNot, type WhyNotPorts } from './why-not.service.ts';

/** Items of the answer that a short question is about. */
const defaultLimit = 5;
const maxItems = 50;

export function whyNotRoutes(ports: WhyNotPorts): Handlers<typeof whyNotOperations> {
  return {
    async ask(request) {
      const { decisionId, ...asked } = request.query;
      // The record contains the request.
      const [beside] = decisionId === undefined ? [] : Object.keys(asked);
      if (beside !== undefined) throw invalid(`/${beside}`, "can't be combined with decisionId");
      const question = { ...asked, limit: Math.min(maxItems, asked.limit ?? defaultLimit) };
      return reply(200, await askWhyNot(ports, request, request.params, question, decisionId));
    },
    async askWith(request) {
      return reply(200, await askWhyNot(ports, request, request.params, request.body));
    },
  };
}

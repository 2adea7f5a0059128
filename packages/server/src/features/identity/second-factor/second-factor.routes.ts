import type { secondFactorOperations } from '@arbiter/contract';
import { type Handlers, reply } from '../../../http/handler.ts';
import { invalid } from '../../../platform/app-error.ts';
import { resetSecondFactor } from './reset.service.ts';
import type { SecondFactorPorts } from './second-factor.ports.ts';
import {
  beginSecondFactor,
  disableSecondFactor,
  enableSecondFactor,
  type StepOutcome,
  verifySecondFactor,
} from './second-factor.service.ts';

/** Handlers of the second factor (docs/design/api-access.md 22). */
export function secondFactorRoutes(ports: SecondFactorPorts): Handlers<typeof secondFactorOperations> {
  return {
    step: async ({ body, headers, requestId, until }) => {
      const { action, mfaToken } = body;
      const terms = { requestId, until };
      const proof = { mfaToken, cookie: headers.Cookie };
      const given = (name: 'code' | 'password' | 'mfaToken'): string => {
        const value = body[name];
        if (value === undefined) throw invalid(`/${name}`, `is required for ${action}`);
        return value;
      };
      switch (action) {
        case 'setup':
          return replyOf(await beginSecondFactor(ports, proof, terms));
        case 'enable':
          return replyOf(await enableSecondFactor(ports, proof, given('code'), terms));
        case 'verify':
          return replyOf(await verifySecondFactor(ports, given('mfaToken'), given('code'), terms));
        case 'disable':
          return replyOf(
            await disableSecondFactor(
              ports,
              headers.Cookie,
              { password: given('password'), code: given('code') },
              terms,
            ),
          );
      }
    },
    reset: async (tx, { params }) => reply(200, await resetSecondFactor(tx, ports.enqueueMail, params.id)),
  };
}

const replyOf = ({ answer, cookie }: StepOutcome) =>
  cookie === null ? reply(200, answer) : reply(200, answer, { 'set-cookie': cookie });

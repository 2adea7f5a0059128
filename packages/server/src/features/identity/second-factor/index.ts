import { secondFactorOperations } from '@arbiter/contract';
import { feature } from '../../../feature.ts';
import { handlerEntries } from '../../../http/handler.ts';
import type { SecondFactorPorts } from './second-factor.ports.ts';
import { secondFactorRoutes } from './second-factor.routes.ts';

export { createMfaTokens, type MfaTokens } from './mfa-tokens.ts';
export type { SecondFactorPorts } from './second-factor.ports.ts';
export { furtherStep, readSetUp } from './second-factor.service.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['second_factors', 'backup_codes'];

export const secondFactorFeature = feature({
  name: 'second-factor',
  tables,
  resets: { keeps: { second_factors: 'how people sign in is kept', backup_codes: 'how people sign in is kept' } },
  operations: (ports: SecondFactorPorts) => handlerEntries(secondFactorOperations, secondFactorRoutes(ports)),
});

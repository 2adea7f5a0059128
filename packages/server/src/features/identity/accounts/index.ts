import { accountOperations, invitationOperations, selfOperations } from '@arbiter/contract';
import { feature } from '../../../feature.ts';
import { handlerEntries } from '../../../http/handler.ts';
import { type AccountJobPorts, accountJobs } from './accounts.jobs.ts';
import type { AccountDependencies } from './accounts.ports.ts';
import { accountRoutes } from './accounts.routes.ts';
import { invitationRoutes, selfRoutes } from './people.routes.ts';

export type { AccountJobPorts } from './accounts.jobs.ts';
export type {
  AccountDependencies,
  FurtherStep,
  RequestTerms,
  SignInPorts,
  SignUp,
} from './accounts.ports.ts';
export { makeSignInLink } from './first-run.service.ts';
export {
  actorOf,
  invalidCredentials,
  isLocked,
  missed,
  openSession,
} from './sign-in.service.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['account_requests', 'registration_claims'];

export { defaultTenantName } from './registration.service.ts';
export { claimTenant } from './registration.store.ts';

export const accountsFeature = feature({
  name: 'accounts',
  tables,
  resets: {
    keeps: {
      account_requests: "they don't belong to a tenant yet",
      registration_claims: 'they are about the account, which is kept',
    },
  },
  operations: (ports: AccountDependencies) => [
    ...handlerEntries(accountOperations, accountRoutes(ports)),
    ...handlerEntries(invitationOperations, invitationRoutes(ports)),
    ...handlerEntries(selfOperations, selfRoutes(ports)),
  ],
  jobs: (ports: AccountJobPorts) => accountJobs(ports),
});

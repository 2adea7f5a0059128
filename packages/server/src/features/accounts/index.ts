import { accountOperations } from '@arbiter/contract';
import { feature } from '../../feature.ts';
import { handlerEntries } from '../../http/handler.ts';
import type { AccountDependencies } from './accounts.ports.ts';
import { accountRoutes } from './accounts.routes.ts';

export type { AccountDependencies, FurtherStep, SignInPorts } from './accounts.ports.ts';
export {
  actorOf,
  type Entrance,
  enter,
  invalidCredentials,
  isLocked,
  missed,
  openSession,
  type RequestTerms,
} from './sign-in.service.ts';

export const accountsFeature = feature({
  name: 'accounts',
  operations: (ports: AccountDependencies) => handlerEntries(accountOperations, accountRoutes(ports)),
});

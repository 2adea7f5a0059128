import { ssoOperations } from '@arbiter/contract';
import { feature } from '../../../feature.ts';
import { handlerEntries } from '../../../http/handler.ts';
import type { SsoDependencies } from './sso.ports.ts';
import { ssoRoutes } from './sso.routes.ts';

export type { SsoDependencies } from './sso.ports.ts';
export { disableSso, hasSso, requiresSso } from './sso-config.service.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['sso_configs', 'sso_secrets', 'sso_states', 'sso_assertions'];

export const ssoFeature = feature({
  name: 'sso',
  tables,
  resets: {
    keeps: {
      sso_configs: 'single sign-on is kept',
      sso_secrets: 'and the attributes by which the provider is recognized',
      sso_states: 'sign-ins in progress end as they began',
      sso_assertions: "what was used once can't be used again",
    },
  },
  operations: (ports: SsoDependencies) => handlerEntries(ssoOperations, ssoRoutes(ports)),
});

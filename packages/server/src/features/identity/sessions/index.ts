import { feature } from '../../../feature.ts';
import { sessionJobs } from './sessions.jobs.ts';

export { createCredentialMemory } from './credential-memory.ts';
export {
  selectPendingRegistration,
  voidLink,
  voidLinks,
} from './links.store.ts';
export { createLinks, type FoundLink, type LinkPurpose, type Links } from './links.ts';
export { endSession, endSessions, endSessionsOpenedBy } from './sessions.service.ts';
export { joinLiveSession, liveSession, type SignInMethod, selectSession } from './sessions.store.ts';
export {
  createSessions,
  type SessionHolder,
  type Sessions,
  sessionIdOf,
} from './sessions.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['user_sessions', 'user_tokens'];

export const sessionsFeature = feature({
  name: 'sessions',
  tables,
  resets: {
    keeps: {
      user_sessions: 'people who are signed in stay signed in',
      user_tokens: 'links give access to the account, which is kept',
    },
  },
  jobs: sessionJobs,
});

import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { boot } from '../data/boot.ts';
import type { Screen } from '../route/feature.ts';
import { parseSearch, writeSearch } from '../route/search.ts';
import { basePath } from './base.ts';
import { ChunkMissing, Crashed, NotFound } from './error-screens.tsx';
import { screens } from './manifest.ts';
import { Shell } from './shell.tsx';
import { Surroundings } from './surroundings.tsx';

function SignedIn() {
  return (
    <Shell>
      <Outlet />
    </Shell>
  );
}

function Root() {
  return (
    <Surroundings>
      <Outlet />
    </Surroundings>
  );
}

const root = createRootRoute({
  component: Root,
  notFoundComponent: NotFound,
});

const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  component: SignedIn,
  beforeLoad: ({ location }) => {
    if (boot().authenticated) return;
    throw redirect({ to: '/login', search: { returnTo: location.pathname + location.searchStr }, replace: true });
  },
});

/** Handles every other address. Only signed-in users may know which pages exist; others sign in first and come back. */
const nowhere = createRoute({ getParentRoute: () => signedIn, path: '$', component: NotFound });

/** Thrown when a chunk fails to load. */
class MissingPart extends Error {}

/** Whether an error has its own screen with a next step, and isn't a bug. */
export const isReported = (error: unknown): boolean => error instanceof MissingPart;

async function partOf(screen: Screen) {
  try {
    return { default: await screen.load() };
  } catch (error) {
    // The browser's error would make the router reload the page, which fails while the server is unreachable.
    throw isMissingChunk(error) ? new MissingPart('a chunk of the console failed to load', { cause: error }) : error;
  }
}

/** Creates the route of a screen. Its component is a separate chunk. */
function routeOf(screen: Screen, parent: typeof root | typeof signedIn) {
  return createRoute({
    getParentRoute: () => parent,
    path: screen.path,
    component: lazyRouteComponent(() => partOf(screen)),
  });
}

/** Creates the router. `baseUri` is the document's, set by the server. */
export function createConsoleRouter(baseUri: string) {
  const open = screens.filter(({ access }) => access === 'public').map((screen) => routeOf(screen, root));
  const closed = screens.filter(({ access }) => access !== 'public').map((screen) => routeOf(screen, signedIn));
  return createRouter({
    routeTree: root.addChildren([...open, signedIn.addChildren([...closed, nowhere])]),
    basepath: basePath(baseUri) || '/',
    parseSearch,
    stringifySearch: writeSearch,
    notFoundMode: 'root',
    defaultErrorComponent: ({ error }) =>
      error instanceof MissingPart ? <ChunkMissing /> : <Crashed text={textOf(error)} />,
  });
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Browser messages for a chunk that fails to load: the server is unreachable, or it was upgraded since this page was opened. */
function isMissingChunk(error: unknown): boolean {
  return error instanceof Error && /dynamically imported module|Importing a module script failed/i.test(error.message);
}

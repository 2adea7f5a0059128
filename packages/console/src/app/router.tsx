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

/**
 * Every other address. Which pages there are is for those who are signed in: the others are sent to sign in, and come back to
 * the address.
 */
const nowhere = createRoute({ getParentRoute: () => signedIn, path: '$', component: NotFound });

/** A file of the build that did not arrive. */
class MissingPart extends Error {}

/** True for what the page tells of by a screen of its own, with the way on: it is no mistake of the program. */
export const isTold = (error: unknown): boolean => error instanceof MissingPart;

async function partOf(screen: Screen) {
  try {
    return { default: await screen.load() };
  } catch (error) {
    // What the browser throws would make the router load the whole page anew, and while the server is away nothing comes.
    throw isMissingChunk(error) ? new MissingPart('a part of the console did not arrive', { cause: error }) : error;
  }
}

/** The route of a screen: its component is a chunk of its own. */
function routeOf(screen: Screen, parent: typeof root | typeof signedIn) {
  return createRoute({
    getParentRoute: () => parent,
    path: screen.path,
    component: lazyRouteComponent(() => partOf(screen)),
  });
}

/** The router of the page; `baseUri` is the document's, which the server writes. */
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

/** What browsers say when a file of the build does not arrive: the server is away, or was upgraded since this page was opened. */
function isMissingChunk(error: unknown): boolean {
  return error instanceof Error && /dynamically imported module|Importing a module script failed/i.test(error.message);
}

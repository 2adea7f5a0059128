import type { Operation } from '@arbiter/contract/core/operation';
import type { CallBody, CallInput } from '@arbiter/sdk/caller';
import {
  keepPreviousData,
  type Query,
  type QueryClient,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { boot, onBoot, tenantOf } from './boot.ts';
import { call } from './call.ts';
import { codeOf, type Failure, failureOf } from './failure.ts';
import { isOld, oldAfter } from './invalidation.ts';
import { inTurn, isLong, rowsPerPage } from './long-lists.ts';
import { operationKey } from './operation-key.ts';
import { mayShowAtOnce } from './optimism.ts';

/** State of a response on a screen. */
export interface Answer<Body> {
  readonly data: Body | undefined;
  /** Why there is no data, or why it couldn't be refreshed. */
  readonly failure: Failure | null;
  /** True while there's nothing to show. */
  readonly loading: boolean;
  /** True if the data belongs to an earlier input or couldn't be refreshed: show it dimmed. */
  readonly old: boolean;
  /** When the response arrived, in milliseconds; null before. */
  readonly asOf: number | null;
  readonly refresh: () => void;
}

export interface ReadOptions {
  /** False: don't request yet. */
  readonly enabled?: boolean;
  /** Refresh interval while the page is visible, in milliseconds. */
  readonly everyMs?: number | false;
  /** True (default): keep showing the previous input's data, dimmed, until the new response arrives. */
  readonly keepPrevious?: boolean;
}

/** Tenant ID of the session; part of every cache key. */
export function useTenant(): string {
  return useSyncExternalStore(onBoot, () => tenantOf(boot()));
}

/** Requests an operation and keeps the data fresh. The input is part of the cache key. */
export function useOperation<const O extends Operation>(
  operation: O,
  input: CallInput<O>,
  { enabled = true, everyMs = false, keepPrevious = true }: ReadOptions = {},
): Answer<CallBody<O>> {
  const tenant = useTenant();
  const query = useQuery({
    // Don't serialize the same input object again: it may be an entire flow.
    queryKey: useMemo(() => operationKey(tenant, operation, input), [tenant, operation, input]),
    queryFn: ({ signal }) => call(operation, { ...input, signal }),
    enabled,
    refetchInterval: everyMs,
    // Heavy operations don't refetch on window focus.
    refetchOnWindowFocus: operation.loadClass !== 'heavy',
    ...(keepPrevious ? { placeholderData: keepPreviousData } : {}),
  });
  const { refetch } = query;
  return {
    // Bodies are plain data, but the library's placeholder type can't express that.
    data: query.data as CallBody<O> | undefined,
    failure: query.error === null ? null : failureOf(query.error),
    loading: query.isPending && enabled,
    old: query.isPlaceholderData || (query.isError && query.data !== undefined),
    asOf: query.dataUpdatedAt === 0 ? null : query.dataUpdatedAt,
    refresh: useCallback(() => void refetch(), [refetch]),
  };
}

/** The part of a cursor page that the console needs. */
interface CursorPage<Row> {
  readonly data: readonly Row[];
  readonly pagination: { readonly total?: number; readonly hasMore: boolean; readonly nextCursor?: string | null };
}

/** Row type of a list operation. */
export type RowOf<O extends Operation> =
  CallBody<O> extends { readonly data: readonly (infer Row extends object)[] } ? Row : never;

/** Body type of an operation. */
export type BodyOf<O extends Operation> = CallBody<O>;

/** A cursor list with its loaded rows. */
export interface ListAnswer<Row> extends Omit<Answer<readonly Row[]>, 'data'> {
  readonly rows: readonly Row[];
  /** Number of matching rows on the server; null if the operation doesn't count them. */
  readonly total: number | null;
  /** True if all rows are loaded: only then can columns sort. */
  readonly complete: boolean;
  readonly loadMore: () => void;
  readonly loadingMore: boolean;
  /** True after the cursor expired and the list restarted from the top. */
  readonly restarted: boolean;
  /** When the next page continues after a rate limit, in milliseconds; null if it isn't waiting. */
  readonly waitsUntil: number | null;
  /** True if data changed in a list too long to refresh automatically: offer `refresh`. */
  readonly outdated: boolean;
}

/**
 * Loads a cursor list page by page. Filters are the operation's query without `cursor`. Long lists don't refresh automatically
 * (`data/long-lists.ts`).
 */
export function useList<const O extends Operation>(
  operation: O,
  input: CallInput<O>,
  { enabled = true, everyMs = false }: ReadOptions = {},
): ListAnswer<RowOf<O>> {
  const tenant = useTenant();
  const client = useQueryClient();
  const [restarted, setRestarted] = useState(false);
  const [waitsUntil, setWaitsUntil] = useState<number | null>(null);
  const [, id, question] = operationKey(tenant, operation, input);
  const key = useMemo(() => ['list', tenant, id, question] as const, [tenant, id, question]);
  // The input whose data is stale. Loading another page doesn't refresh the others.
  const [oldOne, setOldOne] = useState<string | null>(null);
  const name = key.join(' ');
  const isLive = everyMs !== false;
  useEffect(() => {
    // Periodic refreshes restart at the top, which suits only short lists.
    if (isLive && isLong(client.getQueryData(key))) void client.resetQueries({ queryKey: key, exact: true });
  }, [isLive, client, key]);
  const query = useInfiniteQuery({
    queryKey: key,
    initialPageParam: null as string | null,
    queryFn: async ({ signal, pageParam }) => {
      if (pageParam === null) {
        setOldOne(null);
        return pageOf<RowOf<O>>(await call(operation, { ...input, signal }));
      }
      const request = withCursor(operation, { ...input, signal }, pageParam);
      return pageOf<RowOf<O>>(await inTurn(operation, signal, () => call(operation, request), setWaitsUntil));
    },
    getNextPageParam: ({ pagination }) => (pagination.hasMore ? (pagination.nextCursor ?? null) : null),
    enabled,
    refetchInterval: ({ state }) => (isLong(state.data) ? false : everyMs),
    refetchOnWindowFocus: ({ state }) => operation.loadClass !== 'heavy' && !isLong(state.data),
    refetchOnMount: ({ state }) => !isLong(state.data),
    placeholderData: keepPreviousData,
  });
  const failure = query.error === null ? null : failureOf(query.error);
  if (codeOf(failure) === 'invalid_cursor' && !restarted) {
    // The cursor's row was deleted, or the filters are outdated: restart at the top and tell the user.
    setRestarted(true);
    void client.resetQueries({ queryKey: key });
  }
  const pages = query.data?.pages ?? [];
  const isBeingRead = query.isFetching && !query.isFetchingNextPage;
  const isOutdated = query.isStale && isLong(query.data) && client.getQueryState(key)?.isInvalidated === true;
  useEffect(() => {
    if (isOutdated && !isBeingRead) setOldOne(name);
  }, [isOutdated, isBeingRead, name]);
  const rows = useMemo(() => (query.data?.pages ?? []).flatMap(({ data }) => data), [query.data]);
  const { fetchNextPage, refetch, hasNextPage, isFetchingNextPage, isFetchNextPageError } = query;
  return {
    rows,
    total: pages.at(-1)?.pagination.total ?? null,
    complete: query.isSuccess && !hasNextPage && !query.isPlaceholderData,
    failure: codeOf(failure) === 'invalid_cursor' ? null : failure,
    loading: query.isPending && enabled,
    // A failed page doesn't make the others stale.
    old: query.isPlaceholderData || (query.isError && pages.length > 0 && !isFetchNextPageError),
    asOf: query.dataUpdatedAt === 0 ? null : query.dataUpdatedAt,
    restarted,
    waitsUntil: isFetchingNextPage ? waitsUntil : null,
    outdated: oldOne === name && !isBeingRead,
    loadingMore: isFetchingNextPage,
    loadMore: useCallback(() => {
      if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
    }, [fetchNextPage, hasNextPage, isFetchingNextPage]),
    // Retry only the failed page.
    refresh: useCallback(
      () => void (isFetchNextPageError ? fetchNextPage() : refetch()),
      [fetchNextPage, isFetchNextPageError, refetch],
    ),
  };
}

/** Adds the cursor and the page size to the input of a list. */
function withCursor<Input extends object>(operation: Operation, input: Input, cursor: string): Input {
  const query: unknown = Reflect.get(input, 'query');
  const values = typeof query === 'object' && query !== null ? query : {};
  const limit = rowsPerPage(operation, Reflect.get(values, 'limit'));
  return { ...input, query: { ...values, ...(limit === undefined ? {} : { limit }), cursor } };
}

function pageOf<Row>(body: unknown): CursorPage<Row> {
  return body as CursorPage<Row>;
}

export interface MutateOptions<O extends Operation> {
  /** Shows the change before it's confirmed, where data/optimism.ts allows it: the affected data, and the update. */
  readonly atOnce?: {
    readonly operation: Operation;
    readonly input: object;
    readonly change: (shown: unknown, sent: CallInput<O>) => unknown;
  };
  readonly onDone?: (body: CallBody<O>, sent: CallInput<O>) => void;
}

/** Operations without a body have no result to wait for. What forms of many resources send has a body of any type. */
type CanRun<Body> = unknown extends Body ? true : null extends Body ? false : true;

export interface Mutation<O extends Operation> {
  /** Sends it. Resolves with the body, or null on failure (see `failure`). Not for operations without a body. */
  readonly run: CanRun<CallBody<O>> extends false ? never : (input: CallInput<O>) => Promise<CallBody<O> | null>;
  /** Sends it. Resolves with whether it succeeded. For operations without a body. */
  readonly done: (input: CallInput<O>) => Promise<boolean>;
  readonly busy: boolean;
  readonly failure: Failure | null;
  readonly clear: () => void;
}

/**
 * Runs an operation that writes. Retrying the same input after a lost response uses the same idempotency key, where supported.
 * Refetches stale data, also after a version conflict, so that the user can compare.
 */
export function useMutate<const O extends Operation>(operation: O, options: MutateOptions<O> = {}): Mutation<O> {
  const tenant = useTenant();
  const client = useQueryClient();
  const intent = useRef<{ readonly input: string; readonly key: string } | null>(null);
  const mutation = useMutation({
    mutationFn: async (input: CallInput<O>) => {
      if (operation.idempotent !== true) return call(operation, input);
      const text = operationKey(tenant, operation, input)[2];
      if (intent.current?.input !== text) intent.current = { input: text, key: crypto.randomUUID() };
      return call(operation, { ...input, idempotencyKey: intent.current.key });
    },
    onMutate: (input: CallInput<O>) => showAtOnce(client, tenant, operation, input, options),
    onError: (error, _, shown) => {
      if (shown !== undefined) client.setQueryData(shown.key, shown.before);
      const code = codeOf(failureOf(error));
      if (code === 'row_version_conflict' || code === 'concurrent_modification') refreshAfter(client, operation);
    },
    onSuccess: (body, input) => {
      intent.current = null;
      refreshAfter(client, operation);
      options.onDone?.(body, input);
    },
  });
  const { mutateAsync, reset, error } = mutation;
  return {
    // `failure` below reports the error; `run` resolves with null so that the caller stops.
    run: useCallback(
      (input: CallInput<O>) => mutateAsync(input).catch(() => null),
      [mutateAsync],
    ) as Mutation<O>['run'],
    done: useCallback(
      (input: CallInput<O>) =>
        mutateAsync(input).then(
          () => true,
          () => false,
        ),
      [mutateAsync],
    ),
    busy: mutation.isPending,
    // The same object until the next call, so that forms know which errors they have shown.
    failure: useMemo(() => (error === null ? null : failureOf(error)), [error]),
    clear: reset,
  };
}

function showAtOnce<O extends Operation>(
  client: QueryClient,
  tenant: string,
  operation: O,
  input: CallInput<O>,
  { atOnce }: MutateOptions<O>,
) {
  const body: unknown = Reflect.get(input, 'body');
  if (atOnce === undefined || typeof body !== 'object' || body === null) return undefined;
  if (!mayShowAtOnce(operation.id, body)) return undefined;
  const key = operationKey(tenant, atOnce.operation, atOnce.input);
  const before = client.getQueryData(key);
  if (before === undefined) return undefined;
  client.setQueryData(key, atOnce.change(before, input));
  return { key, before };
}

/** Refetches visible data that a write made stale; the rest refetches when shown. */
function refreshAfter(client: QueryClient, operation: Pick<Operation, 'id' | 'method'>): void {
  refreshResources(client, oldAfter(operation.id, operation.method !== 'GET'));
}

/** Returns the refetch of data that a write made stale, for writes outside of `useMutate`. */
export function useRefresh(): (operation: Pick<Operation, 'id' | 'method'>) => void {
  const client = useQueryClient();
  return useCallback((operation) => refreshAfter(client, operation), [client]);
}

/** Same, by resource names; `*` for all. */
function refreshResources(client: QueryClient, old: readonly string[]): void {
  if (old.length === 0) return;
  // A hidden long list restarts at the top when it's shown again.
  client.removeQueries({ type: 'inactive', predicate: (query) => names(query, old) && isLong(query.state.data) });
  void client.invalidateQueries({ predicate: (query) => names(query, old) });
}

/** Marks data as stale after changes by others. Refetches as above, but long lists only on demand. */
export function outdateResources(client: QueryClient, old: readonly string[]): void {
  if (old.length === 0) return;
  const isLeft = (query: Query) => isLong(query.state.data);
  void client.invalidateQueries({ predicate: (query) => names(query, old) && !isLeft(query) });
  void client.invalidateQueries({ predicate: (query) => names(query, old) && isLeft(query), refetchType: 'none' });
}

/** Returns a function that marks data as stale after a write that runs outside of `useMutate`. */
export function useOutdate(): (old: readonly string[]) => void {
  const client = useQueryClient();
  return useCallback((old) => outdateResources(client, old), [client]);
}

function names({ queryKey }: Query, old: readonly string[]): boolean {
  const id = queryKey[0] === 'list' ? queryKey[2] : queryKey[1];
  return typeof id === 'string' && isOld(id, old);
}

import type { Operation } from '@arbiter/contract/operation';
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

/** What a screen knows of an answer. */
export interface Answer<Body> {
  readonly data: Body | undefined;
  /** Why there is no answer, or why the one that is shown could not be renewed. */
  readonly failure: Failure | null;
  /** True while nothing can be shown yet. */
  readonly loading: boolean;
  /** True when what is shown is of an earlier question, or could not be renewed: show it dimmed. */
  readonly old: boolean;
  /** When the answer came, in milliseconds; null while there is none. */
  readonly asOf: number | null;
  readonly refresh: () => void;
}

export interface ReadOptions {
  /** False: not asked yet. */
  readonly enabled?: boolean;
  /** Ask again every so many milliseconds while the page is seen. */
  readonly everyMs?: number | false;
  /** True: an earlier answer of another question is shown, dimmed, until this one comes. Default. */
  readonly keepPrevious?: boolean;
}

/** Id of the tenant that is signed in to; part of the name of every answer. */
export function useTenant(): string {
  return useSyncExternalStore(onBoot, () => tenantOf(boot()));
}

/** Asks an operation and keeps its answer fresh. The input is part of its name: a changed filter is another question. */
export function useOperation<const O extends Operation>(
  operation: O,
  input: CallInput<O>,
  { enabled = true, everyMs = false, keepPrevious = true }: ReadOptions = {},
): Answer<CallBody<O>> {
  const tenant = useTenant();
  const query = useQuery({
    // An input that is the same object is not written out again: it may be a whole flow.
    queryKey: useMemo(() => operationKey(tenant, operation, input), [tenant, operation, input]),
    queryFn: ({ signal }) => call(operation, { ...input, signal }),
    enabled,
    refetchInterval: everyMs,
    // Work of the heavy class is not done again because somebody looked at another window.
    refetchOnWindowFocus: operation.loadClass !== 'heavy',
    ...(keepPrevious ? { placeholderData: keepPreviousData } : {}),
  });
  const { refetch } = query;
  return {
    // Bodies are plain data; the library's type for placeholders cannot say that it is the same type.
    data: query.data as CallBody<O> | undefined,
    failure: query.error === null ? null : failureOf(query.error),
    loading: query.isPending && enabled,
    old: query.isPlaceholderData || (query.isError && query.data !== undefined),
    asOf: query.dataUpdatedAt === 0 ? null : query.dataUpdatedAt,
    refresh: useCallback(() => void refetch(), [refetch]),
  };
}

/** A page of a cursor list, as far as the console has to know it. */
interface CursorPage<Row> {
  readonly data: readonly Row[];
  readonly pagination: { readonly total?: number; readonly hasMore: boolean; readonly nextCursor?: string | null };
}

/** The rows of a list operation. */
export type RowOf<O extends Operation> =
  CallBody<O> extends { readonly data: readonly (infer Row extends object)[] } ? Row : never;

/** What an operation answers. */
export type BodyOf<O extends Operation> = CallBody<O>;

/** A cursor list as far as it is loaded. */
export interface ListAnswer<Row> extends Omit<Answer<readonly Row[]>, 'data'> {
  readonly rows: readonly Row[];
  /** Rows that match on the server; null where the operation does not count them. */
  readonly total: number | null;
  /** True when all rows are here: only then may a column be sorted. */
  readonly complete: boolean;
  readonly loadMore: () => void;
  readonly loadingMore: boolean;
  /** True after the server forgot the place in the list and it began again at the top. */
  readonly restarted: boolean;
  /** Until when the next page waits for the server's limit, in milliseconds; it then goes on by itself. Null: it does not. */
  readonly waitsUntil: number | null;
  /** True when something changed that a list of so many pages does not read by itself: offer `refresh`. */
  readonly outdated: boolean;
}

/**
 * Asks a list with a cursor page by page. The filters are the operation's query without `cursor`. A list of many pages is not
 * read anew by itself (`data/long-lists.ts`).
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
  // The question whose answer was found to be old. A further page does not make the others current.
  const [oldOne, setOldOne] = useState<string | null>(null);
  const name = key.join(' ');
  const isLive = everyMs !== false;
  useEffect(() => {
    // What is read again and again begins at the top: a long list would not be.
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
      const asked = withCursor(operation, { ...input, signal }, pageParam);
      return pageOf<RowOf<O>>(await inTurn(operation, signal, () => call(operation, asked), setWaitsUntil));
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
    // The row that the cursor stood at is gone, or the filters of an old tab are: begin at the top and say so.
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
    // A page that did not come does not make the others old.
    old: query.isPlaceholderData || (query.isError && pages.length > 0 && !isFetchNextPageError),
    asOf: query.dataUpdatedAt === 0 ? null : query.dataUpdatedAt,
    restarted,
    waitsUntil: isFetchingNextPage ? waitsUntil : null,
    outdated: oldOne === name && !isBeingRead,
    loadingMore: isFetchingNextPage,
    loadMore: useCallback(() => {
      if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
    }, [fetchNextPage, hasNextPage, isFetchingNextPage]),
    // After a page that failed, that page is asked for again, and not all those that are here.
    refresh: useCallback(
      () => void (isFetchNextPageError ? fetchNextPage() : refetch()),
      [fetchNextPage, isFetchNextPageError, refetch],
    ),
  };
}

/** The input of a list with a cursor put into its query, and the size of the pages after the first. */
function withCursor<Input extends object>(operation: Operation, input: Input, cursor: string): Input {
  const query: unknown = Reflect.get(input, 'query');
  const asked = typeof query === 'object' && query !== null ? query : {};
  const limit = rowsPerPage(operation, Reflect.get(asked, 'limit'));
  return { ...input, query: { ...asked, ...(limit === undefined ? {} : { limit }), cursor } };
}

function pageOf<Row>(body: unknown): CursorPage<Row> {
  return body as CursorPage<Row>;
}

export interface MutateOptions<O extends Operation> {
  /** Shows the change before it is confirmed, where data/optimism.ts allows it: the answer it changes, and how. */
  readonly atOnce?: {
    readonly operation: Operation;
    readonly input: object;
    readonly change: (shown: unknown, sent: CallInput<O>) => unknown;
  };
  readonly onDone?: (body: CallBody<O>, sent: CallInput<O>) => void;
}

export interface Mutation<O extends Operation> {
  /** Sends it; answers with the body, or with null when it failed (`failure` then says why). Not where an answer has no body. */
  readonly run: null extends CallBody<O> ? never : (input: CallInput<O>) => Promise<CallBody<O> | null>;
  /** Sends it; answers whether it was done. For operations that answer without a body, where null would say nothing. */
  readonly done: (input: CallInput<O>) => Promise<boolean>;
  readonly busy: boolean;
  readonly failure: Failure | null;
  readonly clear: () => void;
}

/**
 * An act of an operation that writes. A second try of the same input after a lost answer carries the same idempotency key,
 * where the operation takes one. What the act makes old is asked again; after a conflict of row versions too, so that the
 * record is there to compare with.
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
  const { mutateAsync, reset } = mutation;
  return {
    // A failure is not lost: `failure` below tells it. `run` answers null then, so that the caller knows to stop.
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
    failure: mutation.error === null ? null : failureOf(mutation.error),
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

/** Asks again for what a write made old, as far as it is on the screen; the rest when it is next shown. */
function refreshAfter(client: QueryClient, operation: Pick<Operation, 'id' | 'method'>): void {
  refreshResources(client, oldAfter(operation.id, operation.method !== 'GET'));
}

/** The same by names of resources; `*`: all. */
function refreshResources(client: QueryClient, old: readonly string[]): void {
  if (old.length === 0) return;
  // A long list that is not on the screen begins again at the top when it is next shown.
  client.removeQueries({ type: 'inactive', predicate: (query) => names(query, old) && isLong(query.state.data) });
  void client.invalidateQueries({ predicate: (query) => names(query, old) });
}

/** Says what others made old: it is asked for again as above, but a long list only when somebody wants it. */
export function outdateResources(client: QueryClient, old: readonly string[]): void {
  if (old.length === 0) return;
  const isLeft = (query: Query) => isLong(query.state.data);
  void client.invalidateQueries({ predicate: (query) => names(query, old) && !isLeft(query) });
  void client.invalidateQueries({ predicate: (query) => names(query, old) && isLeft(query), refetchType: 'none' });
}

function names({ queryKey }: Query, old: readonly string[]): boolean {
  const id = queryKey[0] === 'list' ? queryKey[2] : queryKey[1];
  return typeof id === 'string' && isOld(id, old);
}

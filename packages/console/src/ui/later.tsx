import { type ComponentType, type FunctionComponent, type ReactNode, useEffect, useState } from 'react';

/** A component that comes with a part of the build of its own. */
export interface Later<Props> extends FunctionComponent<Props> {
  /** Fetches its part now, because it will be drawn soon. */
  readonly fetch: () => void;
}

/**
 * A component whose part of the build is fetched when it is first drawn; until then `instead` stands for it. React's own
 * `lazy` keeps what stands in for a component for 300 ms wherever one came shortly before, although the component is there
 * by then, so that pages took that much longer to be whole.
 */
export function later<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  instead: ReactNode = null,
): Later<Props> {
  let known: ComponentType<Props> | null = null;
  let coming: Promise<ComponentType<Props>> | null = null;
  const bring = async (): Promise<ComponentType<Props>> => {
    coming ??= load();
    try {
      known = await coming;
      return known;
    } catch (error) {
      // The next component that draws it requests again what failed to load.
      coming = null;
      throw error;
    }
  };
  // biome-ignore lint/correctness/noComponentHookFactories: called at the top of a module only, as React's `lazy` is.
  function Part(props: Props) {
    const [Known, show] = useState(() => known);
    const [missing, miss] = useState<{ readonly why: unknown } | null>(null);
    useEffect(() => {
      if (Known !== null) return;
      let isUnmounted = false;
      bring().then(
        (component) => {
          if (!isUnmounted) show(() => component);
        },
        (why: unknown) => {
          if (!isUnmounted) miss({ why });
        },
      );
      return () => {
        isUnmounted = true;
      };
    }, [Known]);
    // The page around it tells of it, as of any part that fails.
    if (missing !== null) throw missing.why;
    return Known === null ? instead : <Known {...props} />;
  }
  // The component that draws a part requests it again if preloading failed, and reports the failure.
  return Object.assign(Part, { fetch: () => void bring().catch(() => undefined) });
}

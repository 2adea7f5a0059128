import { type ComponentType, type FunctionComponent, type ReactNode, useEffect, useState } from 'react';

/** A component in its own chunk of the build. */
export interface Later<Props> extends FunctionComponent<Props> {
  /** Fetches its part now, because it will be drawn soon. */
  readonly fetch: () => void;
}

/**
 * A component whose chunk is fetched when it's first drawn; until then, `instead` is shown. React's `lazy` keeps its fallback
 * for 300 ms if another one was shown just before, even when the component is already loaded, which delays the page.
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
    // The surrounding page reports it, like any failed part.
    if (missing !== null) throw missing.why;
    return Known === null ? instead : <Known {...props} />;
  }
  // The component that draws a part requests it again if preloading failed, and reports the failure.
  return Object.assign(Part, { fetch: () => void bring().catch(() => undefined) });
}

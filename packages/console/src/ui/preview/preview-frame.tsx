import { useEffect, useRef, useState } from 'react';
import { useLinks } from '../link.tsx';

export interface PreviewFrameProps {
  readonly html: string;
  /** What is shown, for those who hear the page. */
  readonly label: string;
  /** Width of the device, in pixels; less where there is less room. */
  readonly width: number;
  /** True: images of other sites are loaded, which tells those sites that somebody looks. */
  readonly images: boolean;
}

/** Lowest and largest height of the frame, in pixels: what is longer scrolls inside it. */
const heights = { least: 80, most: 640 };

/**
 * Shows HTML that a tenant wrote, in a frame that has no origin, may load nothing and runs none of it
 * (docs/design/console.md 5.5). The words are handed over to it; its own policy comes with its file.
 */
export function PreviewFrame({ html, label, width, images }: PreviewFrameProps) {
  const links = useLinks();
  const frame = useRef<HTMLIFrameElement>(null);
  const [loads, setLoads] = useState(0);
  const [height, setHeight] = useState(heights.least);
  useEffect(() => {
    const hear = ({ source, data }: MessageEvent) => {
      if (source !== frame.current?.contentWindow) return;
      const height: unknown = data?.height;
      if (typeof height === 'number' && Number.isFinite(height))
        setHeight(Math.min(heights.most, Math.max(heights.least, height)));
    };
    globalThis.addEventListener('message', hear);
    return () => globalThis.removeEventListener('message', hear);
  }, []);
  useEffect(() => {
    // A page without an origin can only be reached by "whoever you are".
    if (loads > 0) frame.current?.contentWindow?.postMessage({ html }, '*');
  }, [html, loads]);
  return (
    <iframe
      key={String(images)}
      ref={frame}
      title={label}
      sandbox="allow-scripts"
      referrerPolicy="no-referrer"
      src={links.href(images ? '/preview-frame.html?images=1' : '/preview-frame.html')}
      onLoad={() => setLoads(loads + 1)}
      className="max-w-full rounded-card border border-line"
      style={{ width, height }}
    />
  );
}

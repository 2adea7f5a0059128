import { useEffect, useRef, useState } from 'react';
import { useLinks } from '../link.tsx';

export interface PreviewFrameProps {
  readonly html: string;
  /** What it shows, for screen readers. */
  readonly label: string;
  /** Width of the device, in pixels, at most. */
  readonly width: number;
  /** True: loads external images, which tells their sites about the view. */
  readonly images: boolean;
}

/** Minimum and maximum height of the frame, in pixels; longer content scrolls. */
const heights = { least: 80, most: 640 };

/**
 * Shows a tenant's HTML in a frame without origin, requests and scripts (docs/design/console.md 5.5). It receives the
 * HTML as a message; its file has its own content security policy.
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
    // A frame without an origin can only be addressed by "*".
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

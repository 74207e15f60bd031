/** What is used of pdf.js, as it comes minified: without types. */
declare module 'pdfjs-dist/build/pdf.min.mjs' {
  interface Viewport {
    readonly width: number;
    readonly height: number;
  }
  interface Page {
    getViewport(options: { scale: number }): Viewport;
    render(options: { canvas: HTMLCanvasElement; viewport: Viewport }): { promise: Promise<void> };
  }
  export const GlobalWorkerOptions: { workerSrc: string };
  export function getDocument(options: { data: ArrayBuffer; isEvalSupported: false; useWasm: false }): {
    promise: Promise<{ getPage(number: number): Promise<Page> }>;
    destroy(): Promise<void>;
  };
}

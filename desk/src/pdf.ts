import { GlobalWorkerOptions, getDocument } from 'pdfjs-dist';

GlobalWorkerOptions.workerSrc = new URL('pdfjs-dist/build/pdf.worker.min.mjs', import.meta.url).href;

/** The width (px) in which a page is drawn, so that it can be zoomed. */
const width = 1600;

/** Draws the first page of a PDF. */
export async function firstPage(file: Blob): Promise<Blob> {
  const opening = getDocument({ data: await file.arrayBuffer(), isEvalSupported: false, useWasm: false });
  try {
    const page = await (await opening.promise).getPage(1);
    const viewport = page.getViewport({ scale: width / page.getViewport({ scale: 1 }).width });
    const canvas = document.createElement('canvas');
    canvas.width = viewport.width;
    // A page as long as a street would take all memory.
    canvas.height = Math.min(viewport.height, 4 * width);
    await page.render({ canvas, viewport }).promise;
    return await new Promise((resolve, reject) =>
      canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('The page could not be drawn.')))),
    );
  } finally {
    await opening.destroy();
  }
}

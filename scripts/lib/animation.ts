import gifenc from 'gifenc';
import { PNG } from 'pngjs';

const { applyPalette, GIFEncoder, quantize } = gifenc;

/** The maximum number of colors per picture in the GIF. */
const colors = 128;

/** Creates an encoder that makes a looping GIF from screenshots (PNG), each shown for some seconds. */
export function createAnimation(): { add(screenshot: Buffer, seconds: number): void; encode(): Uint8Array } {
  const encoder = GIFEncoder();
  return {
    add(screenshot, seconds) {
      const { data, width, height } = PNG.sync.read(screenshot);
      const palette = quantize(data, colors);
      encoder.writeFrame(applyPalette(data, palette), width, height, { palette, delay: seconds * 1000 });
    },
    encode() {
      encoder.finish();
      return encoder.bytes();
    },
  };
}

import gifenc from 'gifenc';
import { PNG } from 'pngjs';

const { applyPalette, GIFEncoder, quantize } = gifenc;

/** Most colors of one picture in a GIF. */
const colors = 128;

/** Returns what makes an animated GIF of screenshots (PNG), each shown for some seconds, over and over. */
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

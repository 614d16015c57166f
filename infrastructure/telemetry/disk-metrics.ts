import { Effect, Layer, Metric } from "effect"
import { readdirSync, statfsSync, statSync } from "node:fs"
import { join } from "node:path"
import { watchedGauge } from "./series.ts"

/** The room on the disk of a folder, and what lies in it. What can't be found out is told as NaN, which is no number. */
export const layerDiskMetrics = (folder: string): Layer.Layer<never> =>
  Layer.effectDiscard(Effect.andThen(
    watchedGauge(free, () =>
      orNaN(() => {
        const { bavail, bsize } = statfsSync(folder)
        return bavail * bsize
      })),
    watchedGauge(used, () =>
      orNaN(() =>
        readdirSync(folder, { withFileTypes: true })
          .filter((entry) => entry.isFile())
          .reduce((total, { name }) => total + statSync(join(folder, name)).size, 0)
      ))
  ))

const orNaN = (look: () => number): number => {
  try {
    return look()
  } catch {
    // A file may go away between two looks, and a gauge must never cost its scraper all the others.
    return Number.NaN
  }
}

const free = Metric.gauge("sliptrail_disk_free_bytes", { description: "Room left on the disk of DATA_DIR" })
const used = Metric.gauge("sliptrail_data_folder_bytes", { description: "Bytes of the files in DATA_DIR" })

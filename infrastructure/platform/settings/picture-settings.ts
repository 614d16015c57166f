import { Delay, integer, setting } from "./setting.ts"

/** Settings of reading slip pictures. */
export const pictureSettings = {
  pictureTimeout: setting(
    "PICTURE_TIMEOUT",
    "5 seconds",
    "Time limit for reading one picture, without its time in the queue. A picture that takes longer is answered with `API_SERVER_ERROR`; a job tries again. Raise it on a slow machine.",
    Delay
  ),
  pictureMaxWait: setting(
    "PICTURE_MAX_WAIT",
    "10 seconds",
    "Longest time that a picture waits until it is read. Then it is answered with `API_SERVER_ERROR`, or with `RATE_LIMIT_EXCEEDED` when other pictures of its branch are being read.",
    Delay
  ),
  pictureCpuSeconds: setting(
    "PICTURE_CPU_SECONDS_PER_MINUTE",
    "30",
    "CPU seconds that each branch may use in a minute for reading pictures, in each process. Most pictures take less than 0.1 seconds. `0` switches the limit off.",
    integer(0, 100_000)
  )
} as const

import { useRef } from "preact/hooks";
import type { Study, Trial } from "../api/types";
import { isOpen } from "../lib/format";

// useQuiet is the version of the study when it last had no open trial. Open trials change it all the time, and teach nothing until they end.
// What else is done to it, such as a correction, may change what is expected.
export function useQuiet(study: Study, trials: Trial[]): number {
  const version = useRef(0);
  if (!trials.some(isOpen)) version.current = study.version;
  return version.current;
}

"""What every stage stands on: errors, strict configuration, crash-safe files, packed arrays, the device."""

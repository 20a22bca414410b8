// libstdc++'s settings for the host's processor: none are needed.

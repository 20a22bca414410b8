class OnChipCoordinate:
    @staticmethod
    def create(location, device=None):
        return location

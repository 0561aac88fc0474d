"""Do scenarios tell strong models from weak ones?"""
